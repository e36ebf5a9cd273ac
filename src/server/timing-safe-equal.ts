/**
 * Whether two texts are the same, in a time that depends on the length of what was given alone: one that ended at the
 * first difference would let a client find a key character by character.
 */
export function timingSafeEqual(given: string, secret: string): boolean {
  let difference = given.length ^ secret.length
  for (let at = 0; at < given.length; at++) {
    difference |= given.charCodeAt(at) ^ secret.charCodeAt(at % secret.length)
  }
  return difference === 0
}
