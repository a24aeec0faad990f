// A local SurrealDB server: it serves the embedded engine of the npm package @surrealdb/node by SurrealDB's own RPC
// protocol (CBOR over WebSocket and HTTP), so that any SurrealDB client works with it. node server.mjs --data
// mem://|rocksdb://PATH|surrealkv://PATH --secret-file PATH [--port N] [--sign-in-within MS] It owns one data
// directory, one port on 127.0.0.1 and the password check, which the embedded engine does not have. Before a sign-in
// with the user and password of the secret file ({"user": ..., "pass": ...}) it answers only ping and version. It
// stops when its stdin ends, so it does not outlive its parent. Once it is ready it prints one line of JSON on
// stdout, {"port", "pid", "version"}; everything else goes to stderr. Requests and results are passed on as bytes.
// Decoding and encoding them in JavaScript would turn the float 1.0 into the integer 1 and cut times to milliseconds.

import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { parseArgs } from "node:util";

import { createNodeEngines } from "@surrealdb/node";
import { CborCodec } from "surrealdb";

// ws is CommonJS: import would search each of its files for what it exports, which takes half as long as the rest of the start.
const { WebSocketServer } = createRequire(import.meta.url)("ws");

const MAX_PAYLOAD = 64 * 1024 * 1024; // bytes, one request of a client that has signed in
// The limit of what this server keeps for a client that has not signed in: a sign-in has a few hundred bytes.
const MAX_ANONYMOUS = 64 * 1024; // bytes, all that a connection sends before its sign-in
const MAX_STRANGERS = 64; // connections that have not signed in, at the same time
const SIGN_IN_WITHIN = 10000; // milliseconds
const BODY_WITHIN = 60000; // milliseconds, a whole request over HTTP
const SHUTDOWN_LIMIT = 3000; // milliseconds until a clean stop is given up

const codec = new CborCodec({});

class RpcError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const malformed = (what) => new RpcError(-32700, `Parse error: ${what}`);
const denied = () => new RpcError(-32000, "There was a problem with authentication");
const anonymous = (method) =>
  new RpcError(-32002, `Not allowed: sign in before calling '${method}'. There was a problem with authentication`);

// --- CBOR: just enough of RFC 8949 to find the parts of a message without touching them -----------------------------

const INDEFINITE = -1;
const BREAK = 0xff;

// readHead returns the major type, the argument (or INDEFINITE) and the offset after the head of the item at `at`.
function readHead(bytes, at) {
  if (at >= bytes.length) throw malformed("truncated CBOR");
  const major = bytes[at] >> 5;
  const info = bytes[at] & 31;
  if (info < 24) return [major, info, at + 1];
  if (info === 31) return [major, INDEFINITE, at + 1];
  if (info > 27) throw malformed("reserved CBOR length");
  const width = 1 << (info - 24);
  if (at + 1 + width > bytes.length) throw malformed("truncated CBOR");
  const argument = width === 8 ? Number(bytes.readBigUInt64BE(at + 1)) : bytes.readUIntBE(at + 1, width);
  return [major, argument, at + 1 + width];
}

// skip returns the offset after the item at `at`.
function skip(bytes, at, depth = 0) {
  if (depth > 512) throw malformed("CBOR nested too deeply");
  const [major, argument, body] = readHead(bytes, at);
  if (major < 2) return body;
  if (major === 7) return body;
  if (major === 6) return skip(bytes, body, depth + 1);
  if (argument === INDEFINITE) {
    let next = body;
    while (bytes[next] !== BREAK) next = skip(bytes, next, depth + 1);
    return next + 1;
  }
  if (major < 4) {
    if (body + argument > bytes.length) throw malformed("truncated CBOR");
    return body + argument;
  }
  let next = body;
  for (let left = major === 5 ? argument * 2 : argument; left > 0; left--) next = skip(bytes, next, depth + 1);
  return next;
}

// readMap returns the entries of the CBOR map in `bytes`, with the values as raw bytes.
function readMap(bytes) {
  const [major, argument, body] = readHead(bytes, 0);
  if (major !== 5) throw malformed("a request is a CBOR map");
  const entries = new Map();
  let at = body;
  for (let left = argument; argument === INDEFINITE ? bytes[at] !== BREAK : left > 0; left--) {
    const value = skip(bytes, at);
    const end = skip(bytes, value);
    entries.set(String(codec.decode(bytes.subarray(at, value))), bytes.subarray(value, end));
    at = end;
  }
  return entries;
}

const text = (value) => Buffer.from(codec.encode(value));
const KEYS = Object.fromEntries(
  ["id", "method", "params", "session", "txn", "result", "error"].map((key) => [key, text(key)]),
);
const NULL = Buffer.from([0xf6]);

// writeMap is the inverse of readMap for up to 23 entries of known keys.
function writeMap(entries) {
  const parts = [Buffer.from([0xa0 | entries.length])];
  for (const [key, value] of entries) parts.push(KEYS[key], value);
  return Buffer.concat(parts);
}

const uuidBytes = (uuid) => Buffer.concat([Buffer.from([0xd8, 37, 0x50]), Buffer.from(uuid.replaceAll("-", ""), "hex")]);

// A failed call comes back from the engine as a bare result {error: {code, message, ...}}.
const ERROR_RESULT = Buffer.concat([Buffer.from([0xa1]), KEYS.error]);

function isErrorResult(result) {
  if (!result.subarray(0, ERROR_RESULT.length).equals(ERROR_RESULT)) return false;
  const body = result.subarray(ERROR_RESULT.length);
  if (body[0] >> 5 !== 5) return false;
  const entries = readMap(body);
  return entries.has("code") && entries.has("message");
}

const errorReply = (id, error) =>
  writeMap([
    ["id", id ?? NULL],
    ["error", text({ code: error.code ?? -32000, message: String(error.message ?? error) })],
  ]);

// --- the engine ------------------------------------------------------------------------------------------------------

// openEngine starts the embedded engine. The package does not export its native class, but its engine uses the codec
// of the context that it is given. With a codec that does nothing, send() passes bytes to the native class and back.
async function openEngine(url) {
  const context = {
    uniqueId: () => undefined,
    codecs: { cbor: { encode: (request) => request.bytes, decode: (bytes) => bytes } },
  };
  const engines = createNodeEngines({
    capabilities: {
      scripting: false,
      guest_access: false,
      network_targets: false,
      experimental: false,
      live_query_notifications: false,
      functions: true,
    },
  });
  const scheme = url.split(":", 1)[0];
  if (!Object.hasOwn(engines, scheme)) throw new Error(`--data ${url}: use mem://, rocksdb://PATH or surrealkv://PATH`);
  const engine = engines[scheme](context);
  await new Promise((resolve, reject) => {
    engine.subscribe("connected", resolve);
    engine.subscribe("error", (error) => reject(error.cause ?? error));
    engine.open({ url });
  });
  return engine;
}

const call = async (engine, entries) => Buffer.from(await engine.send({ bytes: writeMap(entries) }));
const sessionCall = (engine, method, session, params) =>
  call(engine, [["method", text(method)], ["params", text(params ?? [])], ["session", session]]);

// --- who may ask -----------------------------------------------------------------------------------------------------

const digest = (value) => createHash("sha256").update(String(value)).digest();
const same = (a, b) => timingSafeEqual(digest(a), digest(b));

function readSecret(path) {
  if (process.platform !== "win32" && statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by others: make it 0600`);
  }
  const { user, pass } = JSON.parse(readFileSync(path, "utf8"));
  if (typeof user !== "string" || typeof pass !== "string" || user === "" || pass === "") {
    throw new Error(`${path} holds no user and pass`);
  }
  return { user, pass };
}

// newGate returns the checks of passwords and tokens. The token is valid as long as this process runs: a client that
// reconnects may send it instead of the password.
function newGate({ user, pass }) {
  const token = randomBytes(32).toString("base64url");
  const password = (givenUser, givenPass) => same(givenUser, user) & same(givenPass, pass);
  return {
    signin([params] = []) {
      if (!password(params?.user, params?.pass)) throw denied();
      return token;
    },
    authenticate([given] = []) {
      if (!same(given, token)) throw denied();
      return null;
    },
    header(value = "") {
      const [scheme, credentials = ""] = value.split(" ", 2);
      if (scheme.toLowerCase() === "bearer") return same(credentials, token);
      if (scheme.toLowerCase() !== "basic") return false;
      const [givenUser, ...rest] = Buffer.from(credentials, "base64").toString("utf8").split(":");
      return Boolean(password(givenUser, rest.join(":")));
    },
  };
}

// --- one client ------------------------------------------------------------------------------------------------------

const OPEN = new Set(["ping", "version"]);
// A request that changes the state of its connection waits for all earlier requests, and all later requests wait for
// it. All other requests of a connection run concurrently, as in SurrealDB.
const IN_ORDER = new Set(["signin", "signup", "authenticate", "invalidate", "reset", "use", "let", "unset"]);
// Each connection is one session: what would open another one is refused.
const NOT_SERVED = new Set(["attach", "detach", "sessions"]);

class Client {
  #engine;
  #gate;
  #own = uuidBytes(randomUUID());
  #attached;
  #trusted;
  #barrier;
  #running = new Set();

  constructor(engine, gate, trusted = false) {
    this.#engine = engine;
    this.#gate = gate;
    this.#trusted = trusted;
    this.#attached = sessionCall(engine, "attach", this.#own);
    this.#attached.catch(() => {}); // each request awaits it, and reports its failure
    this.#barrier = this.#attached;
  }

  get trusted() {
    return this.#trusted;
  }

  // answer takes the bytes of one request and gives the bytes of its reply; it never throws.
  async answer(message) {
    let id;
    try {
      const request = readMap(message);
      id = request.get("id");
      if (!request.has("method")) throw new RpcError(-32600, "Invalid request: it has no method");
      const method = String(codec.decode(request.get("method")));
      return await this.#schedule(method, () => this.#run(method, request));
    } catch (error) {
      return errorReply(id, error);
    }
  }

  #schedule(method, run) {
    const before = IN_ORDER.has(method) ? Promise.allSettled([this.#barrier, ...this.#running]) : this.#barrier;
    const done = before.then(run);
    const settled = done.catch(() => {}).then(() => this.#running.delete(settled));
    this.#running.add(settled);
    if (IN_ORDER.has(method)) this.#barrier = settled;
    return done;
  }

  async #run(method, request) {
    const id = request.get("id") ?? NULL;
    if (method === "signin" || method === "authenticate") {
      const result = this.#gate[method](codec.decode(request.get("params") ?? text([])));
      this.#trusted = true;
      return writeMap([["id", id], ["result", text(result)]]);
    }
    if (method === "invalidate") {
      this.#trusted = false;
      return writeMap([["id", id], ["result", NULL]]);
    }
    if (!this.#trusted && !OPEN.has(method)) throw anonymous(method);
    if (NOT_SERVED.has(method)) throw new RpcError(-32601, `Method not found: '${method}' is not served`);
    const entries = [["method", request.get("method")], ["session", this.#own]];
    for (const key of ["id", "params", "txn"]) if (request.has(key)) entries.push([key, request.get(key)]);
    const result = await call(this.#engine, entries);
    if (isErrorResult(result)) return writeMap([["id", id], ["error", result.subarray(ERROR_RESULT.length)]]);
    return writeMap([["id", id], ["result", result]]);
  }

  // use selects the namespace and database for a request over HTTP, which has no connection that keeps them.
  async use(namespace, database) {
    await this.#attached;
    await sessionCall(this.#engine, "use", this.#own, [namespace ?? null, database ?? null]);
  }

  async close() {
    this.#trusted = false;
    await Promise.allSettled([this.#attached, ...this.#running]);
    await sessionCall(this.#engine, "detach", this.#own).catch(log);
  }
}

// --- the two transports ----------------------------------------------------------------------------------------------

const log = (error) => process.stderr.write(`${error?.stack ?? error}\n`);

function reply(response, status, type, body) {
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body), "X-Content-Type-Options": "nosniff" });
  response.end(body);
}

async function readBody(request, most) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function answerRpc(engine, gate, request, response) {
  // Decided before the body is read: a wrong password is refused, and without a password the body may only be
  // as large as a sign-in.
  const trusted = gate.header(request.headers.authorization);
  const refuse = (status, error) => {
    response.once("finish", () => request.destroy());
    reply(response, status, "application/cbor", errorReply(NULL, error));
  };
  if (request.headers.authorization !== undefined && !trusted) return refuse(401, denied());
  const body = await readBody(request, trusted ? MAX_PAYLOAD : MAX_ANONYMOUS);
  if (body === undefined) return refuse(413, new RpcError(-32600, "Request too large"));
  const client = new Client(engine, gate, trusted);
  try {
    const { "surreal-ns": namespace, "surreal-db": database } = request.headers;
    if (trusted && namespace) await client.use(namespace, database);
    reply(response, 200, "application/cbor", await client.answer(body));
  } finally {
    await client.close();
  }
}

function newHttpServer(engine, gate, version) {
  const limits = { requestTimeout: BODY_WITHIN, headersTimeout: SIGN_IN_WITHIN, connectionsCheckingInterval: 1000 };
  return createServer(limits, (request, response) => {
    const path = request.url.split("?", 1)[0];
    // A browser sends the page's origin with each POST and upgrade. Requests of pages are refused.
    if (request.headers.origin !== undefined) return reply(response, 403, "text/plain", "browsers are not served\n");
    if (request.method === "GET" && path === "/health") return reply(response, 200, "text/plain", "");
    if (request.method === "GET" && path === "/version") return reply(response, 200, "text/plain", version);
    if (request.method === "POST" && path === "/rpc") {
      return answerRpc(engine, gate, request, response).catch((error) => {
        log(error);
        response.destroy();
      });
    }
    return reply(response, 404, "text/plain", "not found\n");
  });
}

// watchStranger closes a connection that sends too much, or waits too long, before it has signed in. It counts the
// bytes of the socket, because the WebSocket library passes a message on only when it has buffered all of it.
function watchStranger(client, wire, signInWithin) {
  let received = 0;
  const leave = () => client.trusted || wire.destroy();
  let timer = setTimeout(leave, signInWithin);
  wire.on("data", (chunk) => {
    if (client.trusted) return void (received = 0);
    received += chunk.length;
    if (received > MAX_ANONYMOUS) wire.destroy();
  });
  wire.once("close", () => clearTimeout(timer));
  return () => {
    clearTimeout(timer);
    received = 0;
    timer = setTimeout(leave, signInWithin);
  };
}

function serveSocket(engine, gate, socket, wire, clients, signInWithin) {
  const client = new Client(engine, gate);
  const signedOut = watchStranger(client, wire, signInWithin);
  const closed = new Promise((resolve) => socket.once("close", resolve)).then(() => client.close());
  clients.add(closed);
  closed.catch(log).finally(() => clients.delete(closed));
  socket.on("error", log);
  socket.on("message", async (message) => {
    const before = client.trusted;
    const answer = await client.answer(message);
    if (before && !client.trusted) signedOut();
    if (socket.readyState === socket.OPEN) socket.send(answer, { binary: true });
  });
  return client;
}

// --- life ------------------------------------------------------------------------------------------------------------

function readOptions() {
  const { values } = parseArgs({
    options: {
      data: { type: "string" },
      "secret-file": { type: "string" },
      port: { type: "string", default: "0" },
      "sign-in-within": { type: "string", default: String(SIGN_IN_WITHIN) },
    },
  });
  const port = Number(values.port);
  const signInWithin = Number(values["sign-in-within"]);
  const isUsable = Number.isInteger(port) && port >= 0 && port <= 65535 && Number.isInteger(signInWithin) && signInWithin > 0;
  if (!values.data || !values["secret-file"] || !isUsable) {
    throw new Error("usage: node server.mjs --data URL --secret-file PATH [--port N] [--sign-in-within MS]");
  }
  return { data: values.data, secretFile: values["secret-file"], port, signInWithin };
}

async function main() {
  const options = readOptions();
  let stop = () => process.exit(0);
  let stopping = false;
  const stopOnce = () => {
    if (stopping) return;
    stopping = true;
    stop();
  };
  // The parent holds the other end of stdin, which is closed when the parent ends, in whatever way.
  process.stdin.on("end", stopOnce).on("error", stopOnce).resume();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, stopOnce);
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});

  const gate = newGate(readSecret(options.secretFile));
  const engine = await openEngine(options.data);
  const version = codec.decode(await call(engine, [["method", text("version")], ["params", text([])]]));

  const clients = new Set();
  const strangers = () => [...sockets.clients].filter((socket) => !known.get(socket)?.trusted).length;
  const known = new WeakMap(); // the client of a socket
  const server = newHttpServer(engine, gate, version);
  const sockets = new WebSocketServer({
    server,
    path: "/rpc",
    maxPayload: MAX_PAYLOAD,
    perMessageDeflate: false, // it costs time and saves nothing on the loopback interface
    verifyClient: ({ req }, done) => {
      if (req.headers.origin !== undefined) return done(false, 403);
      return strangers() < MAX_STRANGERS ? done(true) : done(false, 503);
    },
    handleProtocols: (offered) => (offered.has("cbor") ? "cbor" : false),
  });
  sockets.on("connection", (socket, request) => {
    if (socket.protocol !== "cbor") return socket.close(1002, "use the subprotocol cbor");
    known.set(socket, serveSocket(engine, gate, socket, request.socket, clients, options.signInWithin));
  });

  stop = async () => {
    setTimeout(() => process.exit(1), SHUTDOWN_LIMIT).unref();
    server.close();
    server.closeAllConnections();
    for (const socket of sockets.clients) socket.terminate();
    await Promise.allSettled(clients);
    await engine.close();
    process.exit(0);
  };

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const ready = { port: server.address().port, pid: process.pid, version: version.replace(/^surrealdb-/, "") };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

main().catch((error) => {
  process.stderr.write(`engine: ${error?.message ?? error}\n`);
  process.exit(1);
});
