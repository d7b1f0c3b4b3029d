import { type Block, blocksOf, type Span, spansOf } from './markdown.js';

/** A text in Markdown, as elements: nothing of it is read as HTML. */
export function MarkdownText({ text }: { readonly text: string }) {
  return <Blocks blocks={blocksOf(text)} />;
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end
  return blocks.map((block, at) => <Part key={at} block={block} />);
}

function Part({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Spans text={block.text} />
        </p>
      );
    case 'heading':
      return (
        <h3>
          <Spans text={block.text} />
        </h3>
      );
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list': {
      const items = block.items.map((item, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end
        <li key={at}>
          <Blocks blocks={item} />
        </li>
      ));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <Table rows={block.rows} />;
  }
}

function Table({ rows: [head = [], ...rows] }: { readonly rows: readonly (readonly string[])[] }) {
  const cells = (row: readonly string[], Cell: 'th' | 'td') =>
    row.map((cell, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its place
      <Cell key={at}>
        <Spans text={cell} />
      </Cell>
    ));
  return (
    <table>
      <thead>
        <tr>{cells(head, 'th')}</tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end
          <tr key={at}>{cells(row, 'td')}</tr>
        ))}
      </tbody>
    </table>
  );
}

function Spans({ text }: { readonly text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: an answer only grows at its end
  return spansOf(text).map((span, at) => <Piece key={at} span={span} />);
}

function Piece({ span }: { readonly span: Span }) {
  switch (span.kind) {
    case 'text':
      return span.text;
    case 'code':
      return <code>{span.text}</code>;
    case 'strong':
      return (
        <strong>
          <Spans text={span.text} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Spans text={span.text} />
        </em>
      );
    case 'link':
      return (
        <a href={span.href} target="_blank" rel="noreferrer" className="link">
          {span.text}
        </a>
      );
  }
}
