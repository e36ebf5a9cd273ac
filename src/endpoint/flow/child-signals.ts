/** Signals that abort with a common parent, on which they share one listener: Node warns of an eleventh. */
export interface ChildSignals {
  /** Opens a signal for one piece of work. It aborts with the parent, at once if that has aborted. */
  open(): ChildSignal
}

export interface ChildSignal {
  readonly signal: AbortSignal
  /** Has to be called when the work has ended, or the parent would retain it. The signal then no longer aborts. */
  end(): void
}

/** @param parent - lives longer than the work, such as the signal of a connection, or of a response */
export function childSignals(parent: AbortSignal): ChildSignals {
  const children = new Set<AbortController>()
  function abort(): void {
    for (const child of children) child.abort(parent.reason)
    children.clear()
  }
  return {
    open() {
      const child = new AbortController()
      if (parent.aborted) child.abort(parent.reason)
      else {
        if (children.size === 0) parent.addEventListener('abort', abort, { once: true })
        children.add(child)
      }
      return {
        signal: child.signal,
        end() {
          if (children.delete(child) && children.size === 0) parent.removeEventListener('abort', abort)
        },
      }
    },
  }
}
