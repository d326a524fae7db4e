/** An environment for other people's trainers: OpenEnv's HTTP and WebSocket in front of one world. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { Episodes, type EpisodeLimits } from './episodes.js';
import { admit, isLoopback } from './guard.node.js';
import { answer, MAX_REQUEST_BYTES, refuse } from './http.node.js';
import { openJournal, readJournal } from './journal.node.js';
import { RequestError } from './request-error.js';
import { converse } from './socket.node.js';
import type { World } from './worlds.js';

export interface ServeOptions extends EpisodeLimits {
  /** Default `127.0.0.1`: this machine only. */
  readonly host?: string;
  /** Default 8000, OpenEnv's; 0 takes a free one. */
  readonly port?: number;
  /** What clients must show; required for a host that other machines can reach. */
  readonly token?: string;
  /** Where acknowledged steps are kept, given the port; episodes in it go on. Default: nowhere. */
  readonly journal?: (port: number) => string;
  /** Seconds that a client may take over one request; default 30. */
  readonly requestTimeout?: number;
}

export interface EnvironmentServer {
  readonly url: string;
  /** Episodes under way or over, brought back from the journal at the start. */
  readonly resumed: number;
  /** Episodes now. */
  readonly episodes: number;
  /** Lets requests end, cuts WebSockets off; the journal keeps their episodes. */
  close(): Promise<void>;
}

/**
 * Serves a world until it is closed: `/reset /step /state /schema /metadata /health /ws` as OpenEnv has them, `/task` and `/close`, and
 * `/reward` for trainers that only want numbers.
 *
 * @throws Error for a public host without a token, a port that is taken, a journal of another world.
 */
export async function serveWorld(world: World, options: ServeOptions = {}): Promise<EnvironmentServer> {
  const { host = '127.0.0.1', port = 8000, token, journal, requestTimeout = 30 } = options;
  if (token === undefined && !isLoopback(host))
    throw new Error(`${host} can be reached from other machines: give a token, or serve on 127.0.0.1`);
  const episodes = new Episodes(world, () => performance.now(), randomUUID, options);
  const timeouts = {
    requestTimeout: 1000 * requestTimeout,
    headersTimeout: 1000 * Math.min(requestTimeout, 10),
    // by default connections are looked at every 30 s only
    connectionsCheckingInterval: Math.min(5000, 500 * requestTimeout),
  };
  const server = createServer(timeouts, (request, response) => {
    try {
      const url = new URL(request.url ?? '/', 'http://localhost');
      admit(request, url, token);
      void answer(episodes, request, url, response);
    } catch (error) {
      refuse(response, error);
    }
  });
  const sockets = acceptSockets(server, episodes, token);

  const bound = await listen(server, host, port);
  const resumed = openedOrElse(
    () => openEpisodes(episodes, journal?.(bound)),
    () => server.close(),
  );
  const sweeping = setInterval(() => episodes.sweep(), 10_000).unref();
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${bound}`,
    resumed: resumed.count,
    get episodes() {
      return episodes.size;
    },
    async close() {
      clearInterval(sweeping);
      for (const socket of sockets.clients) socket.terminate();
      server.closeIdleConnections();
      await new Promise((resolve) => server.close(resolve));
      resumed.close();
    },
  };
}

/** A server that cannot open its journal must not go on listening. */
function openedOrElse<T>(open: () => T, close: () => void): T {
  try {
    return open();
  } catch (error) {
    close();
    throw error;
  }
}

/** Brings back what the journal has, and keeps it from now on. */
function openEpisodes(episodes: Episodes, file: string | undefined): { count: number; close(): void } {
  if (file === undefined) return { count: 0, close: () => {} };
  const { key } = episodes.world;
  episodes.replay(readJournal(file, key));
  const journal = openJournal(file, key, () => episodes.entries());
  episodes.keep(journal);
  return { count: episodes.size, close: () => journal.close() };
}

/** The port. @throws Error that says what to do about one that is taken. */
async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} of ${host} is taken; choose another with --port, or 0 for any that is free`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken) : error);
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A connection that does not answer two pings is dead. */
const PING_MS = 30_000;

function acceptSockets(server: Server, episodes: Episodes, token: string | undefined): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_REQUEST_BYTES,
    perMessageDeflate: false,
  });
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    try {
      const url = new URL(request.url ?? '/', 'http://localhost');
      admit(request, url, token);
      const id = resumedEpisode(url, episodes);
      sockets.handleUpgrade(request, stream, head, (socket) => {
        keepAlive(socket);
        converse(socket, episodes, id);
      });
    } catch (error) {
      const { status, message } = error as RequestError;
      stream.end(
        `HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${message}`,
      );
    }
  });
  return sockets;
}

function resumedEpisode(url: URL, episodes: Episodes): string | undefined {
  if (url.pathname !== '/ws')
    throw new RequestError(404, 'UNKNOWN_TYPE', `${url.pathname} is unknown; WebSockets are at /ws`);
  const id = url.searchParams.get('episode_id') ?? undefined;
  if (id !== undefined && !episodes.has(id))
    throw new RequestError(404, 'SESSION_ERROR', `there is no episode "${id}"`);
  return id;
}

function keepAlive(socket: WebSocket): void {
  let unanswered = 0;
  socket.on('pong', () => (unanswered = 0));
  const pinging = setInterval(() => {
    if (unanswered++ >= 2) socket.terminate();
    else socket.ping();
  }, PING_MS).unref();
  socket.on('close', () => clearInterval(pinging));
}
