import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { type Connection, connect, connection, lock, unlock } from './api/connection.js'
import { hash, packedOf, responseOf } from './look/address.js'
import { Look } from './look/look.js'
import { Brand } from './parts/brand.js'
import { Talk } from './talk/talk.js'

const VIEWS = { talk: 'Talk', look: 'Look inside' } as const

function viewOf(hash: string): keyof typeof VIEWS {
  return hash.startsWith('#look') ? 'look' : 'talk'
}

/** The page: its header, and the view that the address names. */
export function Page(): JSX.Element {
  const state = connection.value
  const view = viewOf(hash.value)
  const response = responseOf(hash.value)
  return (
    <>
      <header class="top">
        <Brand />
        <nav class="views" aria-label="Views">
          {Object.entries(VIEWS).map(([name, title]) => (
            <a key={name} href={`#${name}`} aria-current={name === view ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="engine" title={state.is === 'open' ? state.about.engine : ''}>
          {state.is === 'open' ? `${state.about.models[0]}: ${state.about.engine}` : ''}
        </span>
        {state.is === 'open' && state.hasKey && (
          <button type="button" class="quiet" onClick={lock} title="Forgets the key and the conversation of this tab">
            Forget key
          </button>
        )}
      </header>
      <main>
        {view === 'look' && (response === undefined || state.is === 'open') ? (
          <Look response={response} packed={packedOf(hash.value)} />
        ) : state.is === 'open' ? (
          <Talk about={state.about} hasKey={state.hasKey} />
        ) : (
          <Door state={state} />
        )}
      </main>
    </>
  )
}

/** What stands in place of the views until the server has let this tab in. */
function Door({ state }: { readonly state: Exclude<Connection, { is: 'open' }> }): JSX.Element {
  const key = useSignal('')
  if (state.is === 'connecting') return <p class="door">Connecting …</p>
  if (state.is === 'failed') {
    return (
      <div class="door" role="alert">
        <h2>No connection</h2>
        <p>{state.why}</p>
        <button type="button" onClick={connect}>
          Try again
        </button>
      </div>
    )
  }
  return (
    <form
      class="door"
      onSubmit={(event) => {
        event.preventDefault()
        unlock(key.value.trim())
      }}
    >
      <h2>This server asks for a key</h2>
      <label for="key">Key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        required
        value={key.value}
        aria-invalid={state.wrong}
        aria-describedby="key-note"
        onInput={({ currentTarget }) => {
          key.value = currentTarget.value
        }}
      />
      <p id="key-note" class={state.wrong ? 'wrong' : 'note'} role={state.wrong ? 'alert' : undefined}>
        {state.wrong ? 'The server does not know this key.' : 'It stays in this tab, and goes to this server alone.'}
      </p>
      <button type="submit">Open</button>
    </form>
  )
}
