// SPDX-License-Identifier: Apache-2.0
//
// Reads a collection through the Go driver and writes each document's bytes to a file; prints their number.
//
//	read URI DATABASE COLLECTION OUTPUT BATCH_SIZE      (BATCH_SIZE 0: the driver's choice)
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func copyDocuments(ctx context.Context, cursor *mongo.Cursor, path string) (int, error) {
	file, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	count := 0
	for cursor.Next(ctx) {
		if _, err := out.Write(cursor.Current); err != nil {
			return count, err
		}
		count++
	}
	if err := cursor.Err(); err != nil {
		return count, err
	}
	return count, out.Flush()
}

func read(uri, database, collection, path string, batchSize int) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client, err := mongo.Connect(options.Client().ApplyURI(uri))
	if err != nil {
		return 0, err
	}
	defer client.Disconnect(ctx)
	find := options.Find()
	if batchSize > 0 {
		find.SetBatchSize(int32(batchSize))
	}
	cursor, err := client.Database(database).Collection(collection).Find(ctx, bson.D{}, find)
	if err != nil {
		return 0, err
	}
	return copyDocuments(ctx, cursor, path)
}

func main() {
	batchSize, err := strconv.Atoi(os.Args[5])
	if err != nil {
		log.Fatal(err)
	}
	count, err := read(os.Args[1], os.Args[2], os.Args[3], os.Args[4], batchSize)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(count)
}
