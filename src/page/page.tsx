import type { JSX } from 'preact'
import { type Connection, connect, connection, lock, unlock } from './api/connection.js'
import { hash, packedOf, responseOf } from './look/address.js'
import { Look } from './look/look.js'
import { OperateLoader } from './operate/operate-loader.js'
import { Brand } from './parts/brand.js'
import { KeyForm, NoConnection } from './parts/door.js'
import { Talk } from './talk/talk.js'

const VIEWS = { talk: 'Talk', look: 'Look inside', operate: 'Operate' } as const

function viewOf(hash: string): keyof typeof VIEWS {
  if (hash.startsWith('#operate')) return 'operate'
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
        {view === 'operate' ? (
          <OperateLoader />
        ) : view === 'look' && (response === undefined || state.is === 'open') ? (
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
  if (state.is === 'connecting') return <p class="door">Connecting …</p>
  if (state.is === 'failed') return <NoConnection why={state.why} onRetry={connect} />
  return (
    <KeyForm
      title="This server asks for a key"
      label="Key"
      note="It stays in this tab, and goes to this server alone."
      wrong={state.wrong ? 'The server does not know this key.' : undefined}
      onKey={unlock}
    />
  )
}
