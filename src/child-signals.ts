/** Signals that abort with a common one, which has one listener for them all: Node warns of an eleventh. */
export interface ChildSignals {
  /** A signal of its own for one piece of work. It aborts with the common one, at once if that has aborted. */
  open(): ChildSignal
}

export interface ChildSignal {
  readonly signal: AbortSignal
  /** Has to be called when the work is over: the common signal would keep it. It does not abort then any more. */
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
