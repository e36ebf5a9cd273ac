import { connect, createServer } from 'node:net'

/**
 * Passes connections on to the servers in turn, and cuts some, so that a client that reconnects reaches another
 * process. If a server takes no connection, the next one gets it.
 *
 * @param ports - those of the servers that run
 * @param cutAfter - after how many bytes of an answer a new connection is cut; undefined: it is not
 */
export async function startProxy({ ports, cutAfter, counts }) {
  const open = new Set()
  let turn = 0

  function pass(client, tries) {
    const all = ports()
    if (tries === 0 || all.length === 0) return client.destroy()
    turn += 1
    const server = connect({ port: all[turn % all.length], host: '127.0.0.1' })
    let isConnected = false
    server.once('connect', () => {
      isConnected = true
      let left = cutAfter() ?? Number.POSITIVE_INFINITY
      const close = () => {
        client.destroy()
        server.destroy()
        open.delete(cut)
      }
      const cut = () => {
        counts.cuts += 1
        close()
      }
      open.add(cut)
      for (const socket of [client, server]) socket.on('close', close)
      client.on('data', (bytes) => server.write(bytes))
      server.on('data', (bytes) => {
        if (bytes.length < left) client.write(bytes)
        // In the middle of an event, too.
        else client.write(bytes.subarray(0, left), cut)
        left -= bytes.length
        if (left <= 0) server.pause()
      })
      client.resume()
    })
    server.on('error', () => {
      if (!isConnected) pass(client, tries - 1)
    })
  }

  const proxy = createServer((client) => {
    client.pause()
    client.on('error', () => {})
    pass(client, 4)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    port: proxy.address().port,
    cutAll() {
      for (const cut of [...open]) cut()
    },
    close: () => proxy.close(),
  }
}
