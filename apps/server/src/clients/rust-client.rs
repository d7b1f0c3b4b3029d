//! Calls what the Rust client has, against the server of argument 1 with the key of argument 2; prints `done` when all of it held.

use meilisearch_sdk::client::{Client, SwapIndexes};
use meilisearch_sdk::errors::{Error, ErrorCode};
use meilisearch_sdk::key::{Action, KeyBuilder};
use meilisearch_sdk::search::{SearchResults, Selectors};
use meilisearch_sdk::settings::Settings;
use meilisearch_sdk::task_info::TaskInfo;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

#[derive(Serialize, Deserialize, Debug)]
struct Car {
    id: u32,
    doors: u32,
}

async fn done(client: &Client, info: TaskInfo) {
    let task = info.wait_for_completion(client, None, None).await.expect("a task");
    assert!(task.is_success(), "{task:?}");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    let client = Client::new(&words[1], Some(&words[2])).expect("a client");
    assert!(client.is_healthy().await);
    let films = client.index("films");
    assert_eq!(films.get_stats().await.expect("stats").number_of_documents, 60);
    let found: SearchResults<Value> = films
        .search()
        .with_query("harbuor")
        .with_filter("(genres = Drama OR genres = Crime) AND year >= 1970")
        .with_facets(Selectors::Some(&["genres", "studio"]))
        .with_sort(&["year:desc"])
        .with_attributes_to_highlight(Selectors::Some(&["title"]))
        .with_show_ranking_score(true)
        .with_limit(3)
        .execute()
        .await
        .expect("an answer");
    let ids: Vec<u64> = found.hits.iter().map(|hit| hit.result["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [58, 56, 54]);
    assert_eq!(found.facet_distribution.expect("facets")["genres"]["Drama"], 10);
    let shown = found.hits[0].formatted_result.as_ref().expect("a formatted hit");
    assert!(shown["title"].as_str().unwrap().contains("<em>harbour</em>"));
    assert!(found.hits[0].ranking_score.expect("a score") > 0.0);
    let paged: SearchResults<Value> = films.search().with_page(2).with_hits_per_page(25).execute().await.expect("a page");
    assert_eq!((paged.total_hits, paged.total_pages, paged.hits.len()), (Some(60), Some(3), 25));

    done(&client, client.create_index("cars", Some("id")).await.expect("an index")).await;
    let cars = client.index("cars");
    done(&client, cars.set_settings(&Settings::new().with_filterable_attributes(["doors"])).await.expect("settings")).await;
    let documents = [Car { id: 1, doors: 3 }, Car { id: 2, doors: 5 }];
    done(&client, cars.add_documents(&documents, None).await.expect("documents")).await;
    done(&client, cars.add_or_update(&[json!({ "id": 2, "name": "Van" })], None).await.expect("an update")).await;
    assert_eq!(cars.get_document::<Car>("2").await.expect("a car").doors, 5);
    assert_eq!(cars.get_settings().await.expect("settings").filterable_attributes.map(|names| names.len()), Some(1));
    done(&client, cars.delete_document("1").await.expect("a deletion")).await;
    assert_eq!(cars.get_documents::<Value>().await.expect("documents").total, 1);
    let swap = || SwapIndexes { indexes: ("cars".into(), "films".into()), rename: None };
    done(&client, client.swap_indexes([&swap()]).await.expect("a swap")).await;
    done(&client, client.swap_indexes([&swap()]).await.expect("a swap")).await;

    let mut wanted = KeyBuilder::new();
    wanted.with_action(Action::Search).with_index("films").with_description("films");
    let made = client.create_key(wanted).await.expect("a key");
    let token = client
        .generate_tenant_token(made.uid.clone(), json!({ "films": { "filter": "studio = North" } }), Some(&made.key), None)
        .expect("a token");
    let tenant: SearchResults<Value> = Client::new(&words[1], Some(token)).unwrap().index("films").search().execute().await.expect("hits");
    assert_eq!(tenant.estimated_total_hits, Some(20));
    let refused = Client::new(&words[1], Some(&made.key)).unwrap().get_keys().await;
    assert!(matches!(refused, Err(Error::Meilisearch(ref error)) if error.error_code == ErrorCode::InvalidApiKey), "{refused:?}");
    client.delete_key(&made).await.expect("a deleted key");
    done(&client, client.delete_index("cars").await.expect("a deletion")).await;
    let gone = client.get_index("cars").await;
    assert!(matches!(gone, Err(Error::Meilisearch(ref error)) if error.error_code == ErrorCode::IndexNotFound), "{gone:?}");
    println!("done");
}
