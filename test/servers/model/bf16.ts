const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The nearest number of 16 bits, ties to even, as torch rounds. */
export function toBf16(value: number): number {
  float[0] = value
  const [all = 0] = bits
  return (all + 0x7fff + ((all >>> 16) & 1)) >>> 16
}

export function fromBf16(half: number): number {
  bits[0] = half << 16
  return float[0] ?? 0
}
