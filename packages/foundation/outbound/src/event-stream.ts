/** The data of server-sent events as they arrive (HTML, section 9.2). The parser is loaded with the first stream. */
export async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const { createParser } = await import('eventsource-parser');
  const waiting: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(data) });
  const decoder = new TextDecoder();
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* waiting.splice(0);
  }
}
