module github.com/surrealdb-memory/surrealdb-memory/scripts/tools

go 1.26.0

tool (
	golang.org/x/tools/cmd/deadcode
	mvdan.cc/gofumpt
)

require (
	github.com/OpenPeeDeeP/depguard/v2 v2.2.1
	github.com/kisielk/errcheck v1.30.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/tools v0.52.0
	honnef.co/go/tools v0.8.2
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/gobwas/glob v0.2.3 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/telemetry v0.0.0-20261009151841-97e8ea77aa2a // indirect
	mvdan.cc/gofumpt v0.12.0 // indirect
)
