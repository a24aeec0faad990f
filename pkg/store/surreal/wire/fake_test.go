package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/lxzan/gws"
	"github.com/surrealdb/surrealdb.go/pkg/connection"
	"github.com/surrealdb/surrealdb.go/surrealcbor"
)

// fakeServer speaks the RPC framing of SurrealDB and gives the answers of a test, including those that a real server
// gives only by chance (hanging, dying between request and answer, conflicts, expired sessions).
type fakeServer struct {
	t    *testing.T
	http *httptest.Server
	// answer returns the result of one request, or an error; hold leaves the request unanswered.
	answer func(conn *gws.Conn, req connection.RPCRequest) (result any, failed *connection.RPCError, hold bool)

	mu    sync.Mutex
	conns []net.Conn
}

func startFake(t *testing.T, answer func(*gws.Conn, connection.RPCRequest) (any, *connection.RPCError, bool)) *fakeServer {
	f := &fakeServer{t: t, answer: answer}
	upgrader := gws.NewUpgrader(f, &gws.ServerOption{SubProtocols: []string{"cbor"}, ReadMaxPayloadSize: maxMessage, WriteMaxPayloadSize: maxMessage, ParallelEnabled: true})
	f.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/rpc" {
			http.NotFound(w, r)
			return
		}
		conn, err := upgrader.Upgrade(w, r)
		if err != nil {
			return
		}
		f.mu.Lock()
		f.conns = append(f.conns, conn.NetConn())
		f.mu.Unlock()
		go conn.ReadLoop()
	}))
	t.Cleanup(f.stop)
	return f
}

func (f *fakeServer) url() string { return "ws" + strings.TrimPrefix(f.http.URL, "http") }

// drop ends the connections like a killed process.
func (f *fakeServer) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, conn := range f.conns {
		_ = conn.Close()
	}
	f.conns = nil
}

func (f *fakeServer) stop() {
	f.drop()
	f.http.Close()
}

func (f *fakeServer) OnOpen(*gws.Conn)         {}
func (f *fakeServer) OnClose(*gws.Conn, error) {}
func (f *fakeServer) OnPing(*gws.Conn, []byte) {}
func (f *fakeServer) OnPong(*gws.Conn, []byte) {}

func (f *fakeServer) OnMessage(conn *gws.Conn, message *gws.Message) {
	defer func() { _ = message.Close() }()
	var req connection.RPCRequest
	if err := surrealcbor.Unmarshal(message.Bytes(), &req); err != nil {
		f.t.Errorf("the server cannot read a request: %v", err)
		return
	}
	result, failed, hold := f.answer(conn, req)
	if hold {
		return
	}
	response := map[string]any{"id": req.ID, "result": result}
	if failed != nil {
		response = map[string]any{"id": req.ID, "error": failed}
	}
	data, err := surrealcbor.Marshal(response)
	if err != nil {
		f.t.Errorf("encode an answer: %v", err)
		return
	}
	_ = conn.WriteMessage(gws.OpcodeBinary, data)
}

// queryOf returns the text of a test's query; those of the connect itself are ignored.
func queryOf(req connection.RPCRequest) string {
	if req.Method != "query" {
		return ""
	}
	sql, _ := req.Params[0].(string)
	if strings.HasPrefix(sql, "DEFINE NAMESPACE") {
		return ""
	}
	return sql
}

func ok(result any) map[string]any {
	return map[string]any{"status": "OK", "time": "1µs", "result": result}
}

func bad(message string) map[string]any {
	return map[string]any{"status": "ERR", "time": "1µs", "result": message}
}
