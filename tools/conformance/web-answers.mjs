/**
 * The answers of `fossick/web` to the cases of a suite, on any platform: this module imports nothing. Times and ids of
 * requests differ each time and are left out. `documents`: lines of JSON.
 */
export async function webAnswers({ createEngine, ...options }, suite, documents) {
  const engine = await createEngine(options);
  const index = await engine.createIndex(suite.index, { primaryKey: suite.primaryKey });
  if (suite.settings) await index.updateSettings(suite.settings);
  await index.addNdjson(documents);
  const answers = [];
  for (const { route, request } of suite.cases) {
    const call = route === 'facet-search' ? index.facetBytes(request) : index.searchBytes(request);
    answers.push(
      await call.then(
        (bytes) => comparable(new TextDecoder().decode(bytes)),
        (error) => `${error.code}: ${error.message}`,
      ),
    );
  }
  await engine.close();
  return answers;
}

/** The text of an answer without what differs each time. */
export function comparable(text) {
  return text.replace(/"processingTimeMs":\d+/g, '"processingTimeMs":0').replace(/,"requestUid":"[0-9a-f-]{36}"/g, '');
}
