// Calls what the Go client has, against the server of argument 1 with the key of argument 2; prints `done` when all of it held.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/meilisearch/meilisearch-go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(holds bool, told ...any) {
	if !holds {
		panic(fmt.Sprint(told...))
	}
}

func main() {
	ctx := context.Background()
	client := meilisearch.New(os.Args[1], meilisearch.WithAPIKey(os.Args[2]))
	done := func(info *meilisearch.TaskInfo, err error) {
		task := must(client.WaitForTask(ctx, must(info, err).TaskUID, 20*time.Millisecond))
		check(task.Status == meilisearch.TaskStatusSucceeded, task.Type, task.Error)
	}
	check(client.IsHealthy())
	films := client.Index("films")
	check(must(films.GetStats(ctx, nil)).NumberOfDocuments == 60)
	found := must(films.Search(ctx, "harbuor", &meilisearch.SearchRequest{
		Filter: "genres = Drama AND year >= 1970",
		Facets: []string{"studio"},
		Sort:   []string{"year:desc"},
		Limit:  2,
	}))
	check(found.EstimatedTotalHits == 10, found.EstimatedTotalHits)
	check(len(found.Hits) == 2 && string(found.Hits[0]["id"]) == "56", found.Hits)
	perPage := int64(25)
	paged := must(films.Search(ctx, "", &meilisearch.SearchRequest{Page: 2, HitsPerPage: &perPage}))
	check(paged.TotalHits == 60 && paged.TotalPages == 3, paged.TotalHits)

	done(client.CreateIndex(ctx, &meilisearch.IndexConfig{Uid: "cars", PrimaryKey: "id"}))
	cars := client.Index("cars")
	done(cars.UpdateSettings(ctx, &meilisearch.Settings{FilterableAttributes: []string{"doors"}}))
	done(cars.AddDocuments(ctx, []map[string]any{{"id": 1, "doors": 3}, {"id": 2, "doors": 5}}, nil))
	var car map[string]any
	if err := cars.GetDocument(ctx, "2", nil, &car); err != nil {
		panic(err)
	}
	check(car["doors"] == 5.0, car)
	done(cars.DeleteDocument(ctx, "1", nil))
	var page meilisearch.DocumentsResult
	if err := cars.GetDocuments(ctx, &meilisearch.DocumentsQuery{Limit: 10}, &page); err != nil {
		panic(err)
	}
	check(page.Total == 1, page.Total)
	done(client.DeleteIndex(ctx, "cars"))
	_, err := client.GetIndex(ctx, "cars")
	check(err != nil, "a deleted index is there")
	fmt.Println("done")
}
