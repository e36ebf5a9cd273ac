import type { Client } from 'pg'
import type { Listening } from '../database/listener.js'
import { marked, unmarked } from '../database/marked-text.js'

/**
 * Listens to a channel. It is notified only of responses that are followed, since Postgres commits those that notify one after
 * another.
 */
export async function listenOn(
  openClient: () => Promise<Client>,
  channel: string,
  notified: () => void,
): Promise<Listening> {
  const client = await openClient()
  const ended = new Promise<void>((resolve) => void client.once('end', resolve))
  client.on('notification', notified)
  try {
    await client.query(`LISTEN ${channel}`)
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
  return {
    ended,
    async statesOf(ids) {
      const { rows } = await client.query({
        name: 'look',
        text: 'SELECT id, count, is_running FROM responses WHERE id = ANY($1::text[])',
        values: [ids.map(marked)],
      })
      return new Map(rows.map(({ id, count, is_running }) => [unmarked(id), `${count} ${is_running}`]))
    },
    end: () => client.end(),
  }
}
