import { type Signal, signal } from '@preact/signals'
import type { AboutPage } from '../../cli/serve/about-page.js'
import { save, saved } from './saved.js'
import { ApiError, isKey, reasonOf, send } from './send.js'

/** Where this tab stands with its server. */
export type Connection =
  | { readonly is: 'connecting' }
  /** The server asks for a key; `wrong` if it does not know the one that was typed in. */
  | { readonly is: 'locked'; readonly wrong: boolean }
  | { readonly is: 'failed'; readonly why: string }
  | { readonly is: 'open'; readonly about: AboutPage; readonly hasKey: boolean }

export const connection: Signal<Connection> = signal<Connection>({ is: 'connecting' })

/** Asks the server who it is, with the key that this tab has. */
export async function connect(): Promise<void> {
  const hasKey = saved('key') !== undefined
  try {
    const about = (await (await send('page/about.json')).json()) as AboutPage
    connection.value = { is: 'open', about, hasKey }
  } catch (error) {
    const isLocked = error instanceof ApiError && error.status === 401
    connection.value = isLocked ? { is: 'locked', wrong: hasKey } : { is: 'failed', why: reasonOf(error) }
  }
}

/** Keeps the key for this tab, and tries it. */
export async function unlock(key: string): Promise<void> {
  if (!isKey(key)) {
    connection.value = { is: 'locked', wrong: true }
    return
  }
  save('key', key)
  await connect()
}

/** Forgets the key, and all that was asked with it. */
export function lock(): void {
  sessionStorage.clear()
  location.reload()
}
