/** A local HTTP server with a script: what it was asked is kept, what it answers is decided request by request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** Answers one request. */
export type Reply = (response: ServerResponse, asked: Asked) => void;

export interface FakeService {
  readonly url: string;
  readonly asked: Asked[];
  close(): Promise<void>;
}

export async function fakeService(answer: Reply): Promise<FakeService> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      const one = { method, path: url, headers, body };
      asked.push(one);
      answer(response, one);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        sockets.forEach((socket) => socket.destroy());
      }),
  };
}

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
    response.end(JSON.stringify(body));
  };

/** What a load balancer says when nobody is behind it. */
export const html502: Reply = (response) => {
  response.writeHead(502, { 'content-type': 'text/html; charset=UTF-8' });
  response.end(
    '<!DOCTYPE html><html><head><title>Error 502 (Server Error)!!1</title><style>*{margin:0}</style></head>' +
      '<body><p><b>502.</b> The server encountered a temporary error.</p></body></html>',
  );
};

/** Takes the request and never answers. */
export const hang: Reply = () => undefined;

/** Begins a good answer and drops the connection in the middle of it. */
export const dropMidBody: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '4000' });
  response.write('{"candidates":[{"content":{"parts":[{"text":"{\\"act', () => response.destroy());
};
