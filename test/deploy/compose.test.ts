import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../docs/pages.js'
import { deployFile, deployYaml, settingsOf, skipReason } from './files.js'

const compose = deployYaml('compose.yaml')
const SECRETS = '/run/secrets/'

test('compose.yaml starts the command with options that it has, keys in files, and a store on a volume', async () => {
  const { command, environment, volumes } = compose.services.responses
  const settings = await settingsOf(['--host', '0.0.0.0', ...command], environment)
  expect(settings).toMatchObject({
    vllm: 'http://engine:8000',
    store: { text: '/data/responses.db' },
    keys: { client: { file: `${SECRETS}api-key` }, operator: { file: `${SECRETS}operator-key` } },
  })
  expect(volumes).toEqual(['responses:/data'])
})

describe('compose.postgres.yaml', () => {
  const { services } = deployYaml('compose.postgres.yaml')

  test('compose.postgres.yaml starts two servers with the same options, keys in files, and the same store', async () => {
    const [one, other] = [services['responses-1'], services['responses-2']]
    expect(other).toEqual(one)
    const command = one.command.map((word: string) => word.replace(/^\$\{HARMONY_ENGINE:.+\}$/, 'http://engine:8000'))
    expect(await settingsOf(['--host', '0.0.0.0', ...command], one.environment)).toMatchObject({
      vllm: 'http://engine:8000',
      store: { file: `${SECRETS}store-url` },
      keys: { client: { file: `${SECRETS}api-key` }, operator: { file: `${SECRETS}operator-key` } },
    })
    expect(one.depends_on.postgres.condition).toBe('service_healthy')
    expect(services.postgres.healthcheck.test).toContain('pg_isready')
  })

  test('compose.postgres.yaml has both servers behind the nginx that it starts', () => {
    const conf = deployFile('nginx.replicas.conf')
    const names = Array.from(conf.matchAll(/^ {2}server (\S+):8000;$/gm), ([, name]) => name)
    expect(names).toEqual(services.nginx.depends_on)
    expect(services.nginx.volumes[0]).toMatch(/^\.\/nginx\.replicas\.conf:/)
  })
})

describe.each(['compose.yaml', 'compose.postgres.yaml'])('examples/deploy/%s', (file) => {
  const compose = deployYaml(file)
  const skipped = skipReason('docker', 'compose')

  test.skipIf(skipped !== undefined)(`has no fault that Docker finds${skipped ?? ''}`, () => {
    const args = ['compose', '-f', `${root}examples/deploy/${file}`, 'config', '--quiet']
    const env = { ...process.env, HARMONY_ENGINE: 'http://engine:8000' }
    const { status, stderr } = spawnSync('docker', args, { encoding: 'utf8', env })
    expect([status, stderr]).toEqual([0, ''])
  })

  test('gives each service the secrets, volumes and files that it names', () => {
    for (const service of Object.values<Record<string, unknown>>(compose.services)) {
      const {
        secrets = [],
        volumes = [],
        environment = {},
      } = service as {
        readonly secrets?: readonly string[]
        readonly volumes?: readonly string[]
        readonly environment?: Readonly<Record<string, string>>
      }
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]))
      for (const file of Object.values(environment).filter((value) => value.startsWith(SECRETS))) {
        expect(secrets).toContain(file.slice(SECRETS.length))
      }
      for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
        if (source.startsWith('./')) expect(existsSync(`${root}examples/deploy/${source}`), source).toBe(true)
        else expect(Object.keys(compose.volumes)).toContain(source)
      }
    }
  })

  test('keeps its secrets out of the image and out of the repository', () => {
    for (const { file } of Object.values<{ readonly file: string }>(compose.secrets)) {
      const folder = posix.join('examples/deploy', posix.dirname(file))
      expect(deployFile('Dockerfile.dockerignore').split('\n')).toContain(folder)
      expect(readFileSync(`${root}.gitignore`, 'utf8').split('\n')).toContain(`${folder}/`)
    }
  })
})

describe('examples/deploy/prometheus.yml', () => {
  const { scrape_configs: jobs } = deployYaml('prometheus.yml')

  test("scrapes the server with the operator's key, by the names that compose.yaml gives both", () => {
    const { secrets } = compose.services.prometheus
    expect(jobs).toMatchObject([
      {
        authorization: { credentials_file: `${SECRETS}${secrets[0]}` },
        static_configs: [{ targets: ['responses:8000'] }],
      },
    ])
    expect(Object.keys(compose.services)).toContain('responses')
    expect(compose.services.responses.environment.HARMONY_RESPONSES_OPERATOR_KEY_FILE).toBe(`${SECRETS}${secrets[0]}`)
  })

  const skipped = skipReason('promtool')
  test.skipIf(skipped !== undefined)(`has no fault that promtool finds${skipped ?? ''}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'promtool-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // It looks for the file of the key, which is only in the container.
    const key = join(folder, 'key')
    writeFileSync(key, 'a-key')
    writeFileSync(join(folder, 'prometheus.yml'), deployFile('prometheus.yml').replace(`${SECRETS}operator-key`, key))
    const { status, stderr } = spawnSync('promtool', ['check', 'config', join(folder, 'prometheus.yml')], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })
})

test("Grafana is given its data source and the dashboard's folder by what it mounts", () => {
  const mounts = compose.services.grafana.volumes.map((volume: string) => volume.split(':'))
  const [[, target]] = mounts.filter(([source]: readonly string[]) => source === './grafana')
  const [provider] = parse(deployFile('grafana/dashboards/provider.yaml')).providers
  expect(provider.options.path).toBe(`${target}/dashboards`)
  const [source] = deployYaml('grafana/datasources/prometheus.yaml').datasources
  expect([source.type, new URL(source.url).hostname]).toEqual(['prometheus', 'prometheus'])
  expect(Object.keys(compose.services)).toContain('prometheus')
})
