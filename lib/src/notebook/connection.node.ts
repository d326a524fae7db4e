import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

const port = z.number().int().min(0).max(65_535);

/** Where a kernel listens and by which key it knows its clients: what a Jupyter server writes into the connection file. */
export interface Connection {
  readonly transport: 'tcp' | 'ipc';
  readonly ip: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  readonly key: string;
  readonly signature_scheme: string;
}

const connectionSchema: z.ZodType<Connection> = z.object({
  transport: z.enum(['tcp', 'ipc']),
  ip: z.string().min(1),
  shell_port: port,
  iopub_port: port,
  stdin_port: port,
  control_port: port,
  hb_port: port,
  key: z.string(),
  signature_scheme: z.string().default('hmac-sha256'),
});

export type Channel = 'shell' | 'iopub' | 'stdin' | 'control' | 'hb';

/**
 * @param anyInterface accepts an address that other machines can reach.
 * @throws Error for a file that is not one, has no key or another signature than `hmac-sha256`, or names an address beyond this machine.
 */
export function readConnection(path: string, anyInterface = false): Connection {
  const parsed = connectionSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (!parsed.success)
    throw new Error(`${path} is no connection file of Jupyter: ${z.prettifyError(parsed.error)}`);
  const { ip, key, transport, signature_scheme: scheme } = parsed.data;
  if (scheme !== 'hmac-sha256')
    throw new Error(`${path} asks for the signature ${scheme}; only hmac-sha256 is known`);
  if (key === '')
    throw new Error(
      `${path} has no key, so anyone on this machine could run code; start Jupyter with Session.key set`,
    );
  if (transport === 'tcp' && !isLoopback(ip) && !anyInterface) {
    throw new Error(
      `${path} listens on ${ip}, which other machines can reach; use 127.0.0.1, or pass --any-interface if that is meant`,
    );
  }
  return parsed.data;
}

export function addressOf(connection: Connection, channel: Channel): string {
  const { transport, ip } = connection;
  const number = connection[`${channel}_port`];
  return transport === 'ipc' ? `ipc://${ip}-${number}` : `tcp://${isIP(ip) === 6 ? `[${ip}]` : ip}:${number}`;
}

function isLoopback(ip: string): boolean {
  return ip === 'localhost' || ip === '::1' || (isIP(ip) === 4 && ip.startsWith('127.'));
}
