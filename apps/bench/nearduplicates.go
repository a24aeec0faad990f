package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/surrealdb-memory/surrealdb-memory/pkg/statement"
)

// The bounds of the decision whether two texts say the same.
const (
	leastPrecision = 0.99
	leastRecall    = 0.90
)

func nearDuplicatesCommand() *cli.Command {
	return &cli.Command{
		Name:  "near-duplicates",
		Usage: "measure whether what says the same is told from what differs",
		Description: "Decides each pair of texts in testdata/near-duplicates that the rules were not tuned on, and holds\n" +
			"the decisions against the labels.",
		Action: func(c *cli.Context) error {
			checkout, err := findCheckout()
			if err != nil {
				return err
			}
			return measureNearDuplicates(filepath.Join(checkout, "testdata", "near-duplicates", "pairs.jsonl"), c.App.Writer)
		},
	}
}

// labelledPair is two texts with a person's verdict on their relation.
type labelledPair struct {
	A     string             `json:"a"`
	B     string             `json:"b"`
	Label statement.Relation `json:"label"`
	Half  string             `json:"half"`
}

func measureNearDuplicates(file string, out io.Writer) error {
	pairs, err := checkingPairs(file)
	if err != nil {
		return fmt.Errorf("measure near-duplicates: %w", err)
	}
	found, wrong, missed := 0, 0, 0
	for _, p := range pairs {
		decided, is := statement.Compare(p.A, p.B).Relation == statement.Duplicate, p.Label == statement.Duplicate
		switch {
		case decided && is:
			found++
		case decided:
			wrong++
		case is:
			missed++
		}
	}
	if found == 0 {
		return errors.New("measure near-duplicates: no duplicate was found at all")
	}
	precision, recall := float64(found)/float64(found+wrong), float64(found)/float64(found+missed)
	_, err = fmt.Fprintf(out, "near-duplicates, %d pairs to check by: precision %.3f (asked %.2f), recall %.3f (asked %.2f)\n",
		len(pairs), precision, leastPrecision, recall, leastRecall)
	if precision < leastPrecision || recall < leastRecall {
		err = errors.Join(err, errors.New("precision or recall of near-duplicates is below what is asked"))
	}
	return err
}

func checkingPairs(path string) ([]labelledPair, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var pairs []labelledPair
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var p labelledPair
		if err := json.Unmarshal(scanner.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if p.Half == "checking" {
			pairs = append(pairs, p)
		}
	}
	return pairs, scanner.Err()
}
