/**
 * The answers of `fossick/web` to the cases of a suite, on any platform: this module imports nothing. Times and ids of
 * requests differ each time and are left out. `documents`: lines of JSON.
 */
export async function webAnswers({ createEngine, ...options }, suite, documents) {
  const engine = await createEngine(options);
  const index = await engine.createIndex(suite.index, { primaryKey: suite.primaryKey });
  if (suite.settings) await index.updateSettings(suite.settings);
  await index.addNdjson(documents);
  const answers = await answersOf(index, suite);
  await engine.close();
  return answers;
}

/** The same of `fossick/web/search`, from a static index. */
export async function staticAnswers({ openStatic, manifest, ...options }, suite) {
  return answersOf(await openStatic(manifest, options), suite);
}

async function answersOf(index, { cases }) {
  const answers = [];
  for (const { route, request } of cases) {
    const call = route === 'facet-search' ? index.facetBytes(request) : index.searchBytes(request);
    answers.push(
      await call.then(
        (bytes) => comparable(new TextDecoder().decode(bytes)),
        (error) => `${error.code}: ${error.message}`,
      ),
    );
  }
  return answers;
}

/** The text of an answer without what differs each time. */
export function comparable(text) {
  return text.replace(/"processingTimeMs":\d+/g, '"processingTimeMs":0').replace(/,"requestUid":"[0-9a-f-]{36}"/g, '');
}
