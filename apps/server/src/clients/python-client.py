"""Calls what the Python client has, against the server of argv[1] with the key of argv[2]; prints `done` when all of it held."""
import sys

import meilisearch
from meilisearch.errors import MeilisearchApiError

url, key = sys.argv[1:3]
client = meilisearch.Client(url, key)


def done(info):
    task = client.wait_for_task(info.task_uid, timeout_in_ms=20000, interval_in_ms=20)
    assert task.status == "succeeded", (task.type, task.error)
    return task


assert client.is_healthy()
assert client.get_version()["pkgVersion"]
films = client.index("films")
assert films.fetch_info().primary_key == "id"
assert films.get_stats().number_of_documents == 60

found = films.search(
    "harbuor",
    {
        "filter": [["genres = Drama", "genres = Crime"], "year >= 1970"],
        "facets": ["genres", "studio"],
        "sort": ["year:desc"],
        "attributesToHighlight": ["title"],
        "limit": 3,
    },
)
assert [hit["id"] for hit in found["hits"]] == [58, 56, 54], found["hits"]
assert found["facetDistribution"]["genres"]["Drama"] == 10, found["facetDistribution"]
assert "<em>harbour</em>" in found["hits"][0]["_formatted"]["title"]
paged = films.search("", {"page": 2, "hitsPerPage": 25})
assert paged["totalHits"] == 60 and paged["totalPages"] == 3 and len(paged["hits"]) == 25
near = films.search("", {"filter": "_geoRadius(50, 0, 2500)", "sort": ["_geoPoint(50, 0):asc"]})
assert [hit["id"] for hit in near["hits"]] == [0, 1, 2], near
assert films.facet_search("genres", "dra")["facetHits"] == [{"value": "Drama", "count": 15}]
both = client.multi_search([{"indexUid": "films", "q": "red"}, {"indexUid": "films", "q": "blue", "limit": 1}])
assert len(both["results"]) == 2

done(client.create_index("books", {"primaryKey": "isbn"}))
books = client.index("books")
done(books.update_settings({"filterableAttributes": ["pages"], "rankingRules": ["words", "typo", "pages:asc"]}))
assert books.get_settings()["filterableAttributes"] == ["pages"]
for info in books.add_documents_in_batches([{"isbn": str(at), "pages": at} for at in range(25)], batch_size=10):
    done(info)
done(books.update_documents([{"isbn": "3", "title": "Three"}]))
assert dict(books.get_document("3"))["pages"] == 3
assert books.get_documents({"limit": 5, "filter": "pages > 19"}).total == 5
done(books.delete_documents(filter="pages < 20"))
assert books.get_documents().total == 5
done(books.add_documents_csv(b"isbn,pages:number\nx,7\n"))
done(books.update_synonyms({"three": ["tres"]}))
assert books.get_synonyms() == {"three": ["tres"]}
done(books.reset_synonyms())
done(client.swap_indexes([{"indexes": ["books", "films"]}]))
done(client.swap_indexes([{"indexes": ["books", "films"]}]))
assert client.get_tasks({"indexUids": ["books"], "limit": 2}).results[0].index_uid == "books"

made = client.create_key({"description": "films", "actions": ["search"], "indexes": ["films"], "expiresAt": None})
token = client.generate_tenant_token(made.uid, {"films": {"filter": "studio = North"}}, api_key=made.key)
tenant = meilisearch.Client(url, token).index("films").search("")
assert tenant["estimatedTotalHits"] == 20, tenant["estimatedTotalHits"]
try:
    meilisearch.Client(url, made.key).get_keys()
    raise AssertionError("a key for searching listed keys")
except MeilisearchApiError as error:
    assert error.code == "invalid_api_key", error.code
client.delete_key(made.uid)
done(client.delete_index("books"))
try:
    client.get_index("books")
    raise AssertionError("a deleted index is there")
except MeilisearchApiError as error:
    assert error.code == "index_not_found", error.code
print("done")
