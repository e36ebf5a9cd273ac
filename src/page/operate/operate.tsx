import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { KeyForm, NoConnection } from '../parts/door.js'
import { enter, gate, tryKey } from './gate.js'
import { Overview } from './overview.js'

/** What the server does, for its operator: the figures, once the operator's key opens them. */
export function Operate(): JSX.Element {
  const state = gate.value
  useEffect(() => {
    if (state.is === 'asking') enter()
  }, [])
  if (state.is === 'open') return <Overview hasKey={state.hasKey} />
  if (state.is === 'asking') return <p class="door">Connecting …</p>
  if (state.is === 'failed') return <NoConnection why={state.why} onRetry={enter} />
  return (
    <KeyForm
      title="The operator's view"
      label="The operator's key"
      note={state.why}
      wrong={state.wrong ? `This is not the operator's key. ${state.why}` : undefined}
      onKey={(key) => tryKey(key, state.why)}
    />
  )
}
