import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Makes a certificate for 127.0.0.1 that signs itself, and its key. */
export function selfSigned(folder: string): { readonly key: string; readonly certificate: string } {
  const [key, certificate] = [join(folder, 'server.key'), join(folder, 'server.crt')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync(
    'openssl',
    ['req', '-new', '-x509', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, ...subject],
    { stdio: 'ignore' },
  )
  return { key, certificate }
}
