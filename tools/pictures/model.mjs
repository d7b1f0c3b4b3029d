/**
 * A model for the screenshot of a conversation: it searches once for vampires and answers. Implements OpenAI's stream of
 * chat completions.
 */
import { createServer } from 'node:http';

/** Starts it on a free port of 127.0.0.1; returns its base address, and a function that stops it. */
export async function startModel() {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { messages, tools = [] } = JSON.parse(text);
    const names = tools.map((tool) => tool.function.name);
    const hasLooked = messages.at(-1).role === 'tool';
    response.setHeader('content-type', 'text/event-stream');
    const send = (delta, finish_reason = null) =>
      response.write(`data: ${JSON.stringify({ id: 'p', choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
    if (hasLooked) {
      send({
        role: 'assistant',
        content: 'Two come near: “The Hunger” (1983), where one looks for a new companion, and ',
      });
      send({ content: '“Vampire Academy” (2014), where some go to school.' });
      send({}, 'stop');
    } else {
      const name = names.find((one) => one.endsWith('SearchInIndex'));
      const words = JSON.stringify({ index_uid: 'movies', q: 'vampire', filter: '' });
      send({ role: 'assistant', tool_calls: [{ index: 0, id: 'c', function: { name, arguments: words } }] });
      send({}, 'tool_calls');
    }
    response.end('data: [DONE]\n\n');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
