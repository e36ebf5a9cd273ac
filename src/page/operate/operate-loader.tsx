import { type Signal, signal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { NoConnection } from '../parts/door.js'

const view: Signal<{ readonly View?: ComponentType; readonly hasFailed?: true }> = signal({})

async function load(): Promise<void> {
  try {
    const { Operate } = await import('./operate.js')
    view.value = { View: Operate }
  } catch {
    view.value = { hasFailed: true }
  }
}

/** Loads the operator's view when it is first opened: few who talk with a model operate its server. */
export function OperateLoader(): JSX.Element {
  const { View, hasFailed } = view.value
  useEffect(() => {
    if (View === undefined && !hasFailed) load()
  }, [])
  // A server of another version has other files: the page itself is loaded again, which loses nothing.
  if (hasFailed) return <NoConnection why="The page could not be loaded." onRetry={() => location.reload()} />
  return View === undefined ? <p class="door">Loading …</p> : <View />
}
