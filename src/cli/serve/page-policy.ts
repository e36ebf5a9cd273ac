/** What a browser allows the page: its own files and this server, no inline code and no `eval`, in no frame of others. */
export const PAGE_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'harmony-responses',
} as const

/** Writes a `Content-Security-Policy`. */
export function policyText(policy: Readonly<Record<string, string>>): string {
  return Object.entries(policy)
    .map(([directive, value]) => `${directive} ${value}`)
    .join('; ')
}
