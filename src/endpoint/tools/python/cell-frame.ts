/** What the driver says at the end of a cell. */
export interface CellFrame {
  readonly images: readonly string[]
  /** How its process died. Undefined if it lives. */
  readonly died: string | undefined
}

/** Reads it. It comes from within the boundary, so that anything can be in it. @param maxBytes - of all images */
export function parseFrame(frame: Buffer, maxBytes: number): CellFrame {
  const given = Object(parsed(frame.toString('utf8'))) as { readonly images?: unknown; readonly died?: unknown }
  const { images, died } = given
  if (typeof died === 'number') return { images: [], died: died < 0 ? `signal ${-died}` : `exit code ${died}` }
  let left = maxBytes
  const isImage = (image: unknown): image is string => {
    if (typeof image !== 'string' || image.length > left || !/^[A-Za-z\d+/]+={0,2}$/.test(image)) return false
    left -= image.length
    return true
  }
  if (!Array.isArray(images)) return { images: [], died: 'its answer could not be read' }
  return { images: images.filter(isImage), died: undefined }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
