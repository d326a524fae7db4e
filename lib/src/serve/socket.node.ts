/** OpenEnv over a WebSocket: one connection plays one episode at a time. */
import type { WebSocket } from 'ws';
import type { Episodes } from './episodes.js';
import { errorReply, socketMessage, socketTypes, type SocketMessage, type SocketReply } from './protocol.js';
import { parseJson, parseRequest, RequestError } from './request-error.js';

/** Answers that a client has not fetched, bytes; one that lets more pile up is cut off, and may come back to its episode. */
const MAX_UNREAD_BYTES = 2 ** 20;
/** Said by a client that is finished, as opposed to one that was cut off: 1000 is normal, 1001 is going away, 1005 without a reason. */
const FINISHED: readonly number[] = [1000, 1001, 1005];

/**
 * Serves one connection until it ends. A client that says goodbye ends its episode; one that was cut off can go on with it under
 * `/ws?episode_id=…` until the session's timeout.
 */
export function converse(socket: WebSocket, episodes: Episodes, episodeId: string | undefined): void {
  let id = episodeId;

  function reply(message: SocketMessage): SocketReply {
    switch (message.type) {
      case 'reset': {
        const left = id;
        const data = episodes.reset(message.data);
        id = data.metadata.episode_id;
        if (left !== undefined && left !== id) episodes.close(left);
        return { type: 'observation', data };
      }
      case 'step':
        return { type: 'observation', data: episodes.step(own(), message.data) };
      case 'state':
        return { type: 'state', data: episodes.state(own()) };
      case 'close':
        throw new RequestError(400, 'SESSION_ERROR', 'closed');
    }
  }

  function own(): string {
    if (id === undefined)
      throw new RequestError(409, 'SESSION_ERROR', 'no episode is under way; send a reset first');
    return id;
  }

  function end(): void {
    if (id !== undefined) episodes.close(id);
    id = undefined;
  }

  socket.on('message', (data, isBinary) => {
    let answer: SocketReply;
    try {
      const message = readMessage(isBinary ? '' : String(data));
      if (message.type === 'close') {
        end();
        socket.close(1000);
        return;
      }
      answer = reply(message);
    } catch (error) {
      answer = errorReply(
        error instanceof RequestError
          ? error
          : new RequestError(500, 'EXECUTION_ERROR', (error as Error).message),
      );
    }
    socket.send(JSON.stringify(answer));
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  });
  socket.on('close', (code) => {
    if (FINISHED.includes(code)) end();
  });
  // a frame that is too long or broken: ws closes the connection and says why
  socket.on('error', () => {});
}

function readMessage(text: string): SocketMessage {
  const value = parseJson(text);
  const { type } = Object(value) as { type?: unknown };
  if (!socketTypes.includes(String(type)))
    throw new RequestError(
      422,
      'UNKNOWN_TYPE',
      `type: expected ${socketTypes.join(', ')}, got ${JSON.stringify(type)?.slice(0, 80)}`,
    );
  return parseRequest(socketMessage, value);
}
