import { type Signal, signal } from '@preact/signals'
import type { ComponentType, JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { NoConnection } from '../parts/door.js'

const view: Signal<{ readonly View?: ComponentType; readonly hasFailed?: true }> = signal({})

async function load(): Promise<void> {
  view.value = {}
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
    if (View === undefined) load()
  }, [])
  if (hasFailed) return <NoConnection why="The server does not answer." onRetry={load} />
  return View === undefined ? <p class="door">Loading …</p> : <View />
}
