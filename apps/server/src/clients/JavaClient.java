// Calls what the Java client has, against the server of argument 1 with the key of argument 2; prints `done` when all of it held.

import com.meilisearch.sdk.Client;
import com.meilisearch.sdk.Config;
import com.meilisearch.sdk.FacetSearchRequest;
import com.meilisearch.sdk.Index;
import com.meilisearch.sdk.IndexSearchRequest;
import com.meilisearch.sdk.MultiSearchRequest;
import com.meilisearch.sdk.SearchRequest;
import com.meilisearch.sdk.exceptions.MeilisearchApiException;
import com.meilisearch.sdk.json.GsonJsonHandler;
import com.meilisearch.sdk.model.Key;
import com.meilisearch.sdk.model.SearchResult;
import com.meilisearch.sdk.model.SearchResultPaginated;
import com.meilisearch.sdk.model.Settings;
import com.meilisearch.sdk.model.TaskInfo;
import com.meilisearch.sdk.model.TaskStatus;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

public class JavaClient {
  static Client client;

  static void check(boolean holds, Object told) {
    if (!holds) throw new AssertionError(String.valueOf(told));
  }

  static void done(TaskInfo info) throws Exception {
    client.waitForTask(info.getTaskUid());
    check(client.getTask(info.getTaskUid()).getStatus() == TaskStatus.SUCCEEDED, client.getTask(info.getTaskUid()).getError());
  }

  public static void main(String[] words) throws Exception {
    client = new Client(new Config(words[0], words[1], new GsonJsonHandler()));
    check(client.isHealthy(), "not healthy");
    Index films = client.index("films");
    check(films.getStats().getNumberOfDocuments() == 60, "documents");
    SearchResult found = (SearchResult) films.search(SearchRequest.builder().q("harbuor")
        .filterArray(new String[][] {{"genres = Drama", "genres = Crime"}, {"year >= 1970"}})
        .facets(new String[] {"genres"}).sort(new String[] {"year:desc"}).attributesToHighlight(new String[] {"title"}).limit(3).build());
    check(found.getHits().size() == 3 && ((Number) found.getHits().get(0).get("id")).intValue() == 58, found.getHits());
    check(found.getFacetDistribution().toString().contains("Drama=10"), found.getFacetDistribution());
    check(found.getHits().get(0).get("_formatted").toString().contains("<em>harbour</em>"), found.getHits().get(0));
    SearchResultPaginated page = (SearchResultPaginated) films.search(SearchRequest.builder().q("").page(2).hitsPerPage(25).build());
    check(page.getTotalHits() == 60 && page.getTotalPages() == 3 && page.getHits().size() == 25, page.getTotalHits());
    check(films.facetSearch(FacetSearchRequest.builder().facetName("genres").facetQuery("dra").build()).getFacetHits().size() == 1, "facet search");
    MultiSearchRequest both = new MultiSearchRequest();
    both.addQuery(IndexSearchRequest.builder().indexUid("films").q("red").build());
    both.addQuery(IndexSearchRequest.builder().indexUid("films").q("blue").limit(1).build());
    check(client.multiSearch(both).getResults().length == 2, "multi search");

    done(client.createIndex("boats", "id"));
    Index boats = client.index("boats");
    done(boats.updateSettings(new Settings().setFilterableAttributes(new String[] {"masts"}).setRankingRules(new String[] {"words", "masts:desc"})));
    check(boats.getSettings().getRankingRules().length == 2, "ranking rules");
    done(boats.addDocuments("[{\"id\":1,\"masts\":2},{\"id\":2,\"masts\":3}]"));
    done(boats.updateDocuments("[{\"id\":2,\"name\":\"Sea\"}]"));
    check(boats.getDocument("2", Map.class).toString().contains("name=Sea"), boats.getDocument("2", Map.class));
    done(boats.deleteDocumentsByFilter("masts = 2"));
    check(boats.getRawDocuments().contains("\"total\":1"), boats.getRawDocuments());
    HashMap<String, String[]> synonyms = new HashMap<>();
    synonyms.put("boat", new String[] {"ship"});
    done(boats.updateSynonymsSettings(synonyms));
    // the client promises arrays here and gives lists
    Map<?, ?> synonymsThen = boats.getSynonymsSettings();
    check(String.valueOf(synonymsThen.get("boat")).contains("ship"), synonymsThen);
    done(boats.resetSynonymsSettings());

    Key wanted = new Key().setDescription("films").setActions(new String[] {"search"}).setIndexes(new String[] {"films"});
    Key made = client.createKey(wanted);
    check(made.getKey().length() == 64, made.getKey());
    Client narrow = new Client(new Config(words[0], made.getKey(), new GsonJsonHandler()));
    Map<String, Object> rules = new HashMap<>();
    rules.put("films", Collections.singletonMap("filter", "studio = North"));
    String token = narrow.generateTenantToken(made.getUid(), rules);
    SearchResult tenant = new Client(new Config(words[0], token, new GsonJsonHandler())).index("films").search("");
    check(tenant.getEstimatedTotalHits() == 20, tenant.getEstimatedTotalHits());
    try {
      narrow.getKeys();
      throw new AssertionError("a key for searching listed keys");
    } catch (MeilisearchApiException error) {
      check(error.getCode().equals("invalid_api_key"), error.getCode());
    }
    client.deleteKey(made.getKey());
    done(client.deleteIndex("boats"));
    try {
      client.getIndex("boats");
      throw new AssertionError("a deleted index is there");
    } catch (MeilisearchApiException error) {
      check(error.getCode().equals("index_not_found"), error.getCode());
    }
    System.out.println("done");
    // its connections would keep the program for minutes
    System.exit(0);
  }
}
