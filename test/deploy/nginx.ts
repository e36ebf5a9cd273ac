import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../docs/pages.js'

/** Debian installs it where only root's PATH looks. */
const PATH = `${process.env['PATH']}:/usr/sbin`

/** Whether nginx is installed: `.ci/packages.txt` names its package. */
export const hasNginx: boolean = spawnSync('nginx', ['-v'], { env: { PATH } }).status === 0

/** The name in `server_name`, and of the certificate. */
export const NAME = 'llm.example.com'

export interface Nginx {
  /** The Unix socket on which it takes connections, by TLS where its configuration has a certificate. */
  readonly socketPath: string
  close(): void
}

/**
 * A real nginx with `examples/deploy/nginx.conf`, in which three lines are of this machine: where it listens, its
 * certificate, and the port of the server behind it.
 */
export function startNginx(port: number): Promise<Nginx> {
  return start('nginx.conf', (socketPath, certificate, key) => ({
    'server 127.0.0.1:8000;': `server 127.0.0.1:${port};`,
    'listen 443 ssl;': `listen unix:${socketPath} ssl;`,
    '/etc/ssl/llm.example.com.crt': certificate,
    '/etc/ssl/llm.example.com.key': key,
  }))
}

/** A real nginx with `examples/deploy/nginx.replicas.conf`, in front of two servers. It takes connections without TLS. */
export function startReplicasNginx(ports: readonly [number, number]): Promise<Nginx> {
  return start('nginx.replicas.conf', (socketPath) => ({
    'server responses-1:8000;': `server 127.0.0.1:${ports[0]};`,
    'server responses-2:8000;': `server 127.0.0.1:${ports[1]};`,
    'listen 80;': `listen unix:${socketPath};`,
  }))
}

async function start(
  file: string,
  linesOf: (socketPath: string, certificate: string, key: string) => Readonly<Record<string, string>>,
): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  const socketPath = join(folder, 'tls.sock')
  const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  const subject = ['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`]
  const made = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', ...subject]
  execFileSync('openssl', ['req', ...made, '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  const site = replaced(file, linesOf(socketPath, certificate, key))
  mkdirSync(join(folder, 'temp'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp;`)
  const http = `http {\naccess_log off;\n${paths.join('\n')}\n${site}\n}`
  // No user: started by root, its workers would be nobody's, and could not write to the folder.
  const user = process.getuid?.() === 0 ? 'user root;\n' : ''
  writeFileSync(join(folder, 'nginx.conf'), `${user}daemon off;\npid ${folder}/pid;\nevents {}\n${http}\n`)
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    env: { PATH },
    stdio: 'ignore',
  })
  try {
    await listening(socketPath, child)
  } catch (error) {
    throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'), { cause: error })
  }
  return {
    socketPath,
    close() {
      child.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function replaced(file: string, lines: Readonly<Record<string, string>>): string {
  return Object.entries(lines).reduce(
    (all, [from, to]) => {
      if (!all.includes(from)) throw new Error(`examples/deploy/${file} has no ${from}`)
      return all.replace(from, to)
    },
    readFileSync(`${root}examples/deploy/${file}`, 'utf8'),
  )
}

/** Resolves when the socket takes connections; rejects if nginx ends before. */
async function listening(path: string, child: ChildProcess): Promise<void> {
  let isOver = false
  child.once('exit', () => {
    isOver = true
  })
  child.once('error', () => {
    isOver = true
  })
  while (!isOver) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(path)
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nginx has ended')
}
