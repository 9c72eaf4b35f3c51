import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One version of a package; without a tarball it can be seen, but not be fetched. */
export interface Published {
  manifest: { name: string; version: string };
  tarball?: string;
}

/** A registry on this machine that has these packages and no others, as npm asks for them. */
export async function registry(packages: Published[]): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const [name = '', file] = decodeURIComponent(request.url ?? '')
      .slice(1)
      .split('/-/');
    const found = packages.find(({ manifest }) => manifest.name === name);
    if (!found || (file !== undefined && found.tarball === undefined)) response.writeHead(404).end('{}');
    else if (file !== undefined) response.end(readFileSync(found.tarball!));
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(packument(found)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  function packument({ manifest, tarball }: Published): unknown {
    const { name, version } = manifest;
    const integrity = tarball && `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    const dist = { tarball: `${url}${name}/-/package.tgz`, ...(integrity && { integrity }) };
    return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } };
  }

  return { server, url };
}
