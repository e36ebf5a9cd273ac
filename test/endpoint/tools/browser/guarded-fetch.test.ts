import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import ipaddr from 'ipaddr.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAddressRules } from '../../../../src/endpoint/tools/browser/address-rules.js'
import { createGuardedFetch } from '../../../../src/endpoint/tools/browser/index.js'
import { converse } from './fixtures.js'

let port = 0
let requests = 0
/** Called when half a page was sent, and when its connection is closed. */
let [halfSent, halfClosed] = [(): void => {}, (): void => {}]
const BOMB = gzipSync(Buffer.alloc(50_000_000))
/** Compressed data that unpacks to nothing, however much of it there is. */
const NOTHING = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync('')))
const server = createServer((request, response) => {
  requests += 1
  if (request.url === '/bomb') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(BOMB)
  } else if (request.url === '/half') {
    response.on('close', halfClosed)
    response.writeHead(200, { 'content-type': 'text/plain' }).write('half a page', halfSent)
  } else if (request.url === '/flood') {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
    const write = (): void => void response.write(NOTHING, (error) => error || write())
    write()
  } else if (request.url === '/inside') response.writeHead(302, { location: `http://localhost:${port}/` }).end()
  else response.writeHead(200, { 'content-type': 'text/html' }).end('<p>inside</p>')
})

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The ways to write an address of this machine that browsers and Node understand. */
const LOOPBACK = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0.0.0.0',
  ],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::7f00:1]', '[0:0:0:0:0:0:0:1]', '[64:ff9b::7f00:1]'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', 'localhost', 'LOCALHOST'],
]

async function causeOf(url: string, allow: readonly string[] = []): Promise<unknown> {
  const fetch = await createGuardedFetch({ allow })
  return fetch(url).then(
    (response) => response.status,
    (error: Error) => Object(error.cause).code,
  )
}

describe('createGuardedFetch', () => {
  test.each(LOOPBACK)('refuses this machine as %s, by the port of the web and by its own', async (host) => {
    const before = requests
    expect(await causeOf(`http://${host}/`)).toBe('ERR_REFUSED_ADDRESS')
    expect(await causeOf(`http://${host}:${port}/`)).toBe('ERR_REFUSED_ADDRESS')
    expect(requests).toBe(before)
  })

  test.each([
    '10.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '[fd00::1]',
    '[fe80::1]',
    '224.0.0.1',
  ])('refuses %s, which is no address of the public network', async (host) => {
    expect(await causeOf(`https://${host}/`)).toBe('ERR_REFUSED_ADDRESS')
  })

  test('refuses other ports than those of the web', async () => {
    expect(await causeOf('http://93.184.215.14:8081/')).toBe('ERR_REFUSED_ADDRESS')
  })

  test('opens what the operator allows, by that port alone', async () => {
    expect(await causeOf(`http://127.0.0.1:${port}/`, [`127.0.0.1:${port}`])).toBe(200)
    expect(await causeOf(`http://127.0.0.1:${port + 1}/`, [`127.0.0.1:${port}`])).toBe('ERR_REFUSED_ADDRESS')
    expect(await causeOf(`http://localhost:${port}/`, [`127.0.0.1:${port}`])).toBe('ERR_REFUSED_ADDRESS')
    expect(await causeOf(`http://127.0.0.1:${port}/`, ['127.0.0.1'])).toBe('ERR_REFUSED_ADDRESS')
  })

  test('refuses a redirection into this network, and the model reads why', async () => {
    const fetch = await createGuardedFetch({ allow: [`127.0.0.1:${port}`] })
    const { call } = await converse({ backend: () => [], fetch })
    expect(await call('open', { id: `http://127.0.0.1:${port}/` })).toContain('inside')
    expect(await call('open', { id: `http://127.0.0.1:${port}/inside` })).toContain(
      'addresses of this network may not be opened',
    )
  })

  test('a page that unpacks to 50 MB is read up to its limit', async () => {
    const fetch = await createGuardedFetch({ allow: [`127.0.0.1:${port}`] })
    const { call } = await converse({ backend: () => [], fetch, maxPageBytes: 10_000 })
    expect(await call('open', { id: `http://127.0.0.1:${port}/bomb` })).toContain('viewing lines')
  })

  test('a call that is cancelled in the middle of a page closes its connection', async () => {
    const sent = new Promise<void>((resolve) => (halfSent = resolve))
    const closed = new Promise<void>((resolve) => (halfClosed = resolve))
    const fetch = await createGuardedFetch({ allow: [`127.0.0.1:${port}`] })
    const leaving = new AbortController()
    const { call } = await converse({ backend: () => [], fetch, seconds: 600 }, {}, [], leaving.signal)
    const opening = call('open', { id: `http://127.0.0.1:${port}/half` })
    await sent
    leaving.abort(new Error('left'))
    await expect(opening).rejects.toThrow('left')
    await closed
  })

  test('a page that is endless before it is unpacked, and unpacks to nothing, is given up at its limit', async () => {
    const fetch = await createGuardedFetch({ allow: [`127.0.0.1:${port}`], maxBytes: 1_000_000 })
    const { call } = await converse({ backend: () => [], fetch, seconds: 600 })
    expect(await call('open', { id: `http://127.0.0.1:${port}/flood` })).toContain('it is too large')
    await expect(createGuardedFetch({ maxBytes: 0 })).rejects.toMatchObject({ code: 'bad_option' })
  })

  test.each([['http://a/'], [''], ['a b'], ['a:port']])('a host that cannot be read is refused: %j', async (host) => {
    await expect(createGuardedFetch({ allow: [host] })).rejects.toMatchObject({ code: 'bad_option' })
  })
})

describe('addresses of the public network', () => {
  const { isPublic } = createAddressRules(ipaddr)
  test.each(['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', '::ffff:93.184.215.14'])('%s', (address) => {
    expect(isPublic(address)).toBe(true)
  })
  test.each(['fe80::1%eth0', '', 'example.com', '::ffff:10.0.0.1', '2002:7f00:1::', '255.255.255.255'])(
    'not %j',
    (address) => {
      expect(isPublic(address)).toBe(false)
    },
  )
})
