import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'

import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'

import { inspect } from './helpers/inspected.js'

interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** One request, sent as it is written: no path is tidied up on the way. */
function ask(port: number, path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, response => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', chunk => (body += String(chunk)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

/** Tries to open a socket; the status of the refusal, or `open`. */
function upgrade(port: number, path: string, headers: Record<string, string>): Promise<number | 'open'> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers })
    socket.once('open', () => {
      socket.terminate()
      resolve('open')
    })
    socket.once('unexpected-response', (_, response) => {
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.once('error', reject)
  })
}

const PATHS = ['/', '/page.js', '/page.css', '/save'] as const

describe('a request', () => {
  test.for(PATHS)('with the token is answered: %s', async path => {
    const { port, token } = await inspect()
    const { status, body } = await ask(port, `${path}?token=${token}`)
    expect([status, body.length > 100]).toEqual([200, true])
  })

  test.for(PATHS)('without the token, or with another one, is refused: %s', async path => {
    const { port, token } = await inspect()
    const other = token.startsWith('A') ? `B${token.slice(1)}` : `A${token.slice(1)}`
    for (const query of [
      '',
      '?token=',
      `?token=${other}`,
      `?token=${token}x`,
      `?token=${token.slice(1)}`,
      `?Token=${token}`,
    ]) {
      const { status, body } = await ask(port, path + query)
      expect([query, status]).toEqual([query, 403])
      expect(body).not.toContain(token)
    }
  })

  test('for another host is refused, whatever it knows', async () => {
    const { port, token } = await inspect()
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${port + 1}`,
      `127.0.0.1.evil.example:${port}`,
      `[::1]:${port}`,
    ]) {
      expect([host, (await ask(port, `/?token=${token}`, { Host: host })).status]).toEqual([host, 403])
    }
    expect((await ask(port, `/?token=${token}`, { Host: `localhost:${port}` })).status).toBe(200)
  })

  test('from another origin is refused, and from none that says its name', async () => {
    const { port, token } = await inspect()
    for (const origin of [
      'http://evil.example',
      'null',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
      `http://localhost:${port}`,
    ]) {
      expect([origin, (await ask(port, `/?token=${token}`, { Origin: origin })).status]).toEqual([origin, 403])
    }
    expect((await ask(port, `/?token=${token}`, { Origin: `http://127.0.0.1:${port}` })).status).toBe(200)
  })

  test.for(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('with %s is refused', async method => {
    const { port, token } = await inspect()
    const { status, headers } = await ask(port, `/?token=${token}`, {}, method)
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('with HEAD is answered without a body', async () => {
    const { port, token } = await inspect()
    for (const path of PATHS) {
      const { status, body } = await ask(port, `${path}?token=${token}`, {}, 'HEAD')
      expect([path, status, body]).toEqual([path, 200, ''])
    }
  })

  test('finds no way to the disk', async () => {
    const { port, token } = await inspect()
    const paths = [
      '/../package.json',
      '/%2e%2e/package.json',
      '/..%2fpackage.json',
      '//etc/passwd',
      '/page.js/../../../package.json',
      '/./index.html',
      '/page.js%00',
      '/C:/windows',
    ]
    for (const path of paths) {
      const { status, body } = await ask(port, `${path}?token=${token}`)
      expect([path, status, body]).toEqual([path, 404, 'There is nothing here.\n'])
    }
  })

  test('with a target that is no path is refused, and the server goes on', async () => {
    const { port, token } = await inspect()
    for (const path of ['http://evil.example/', '*', '//', '/?token=%']) {
      expect([403, 405]).toContain((await ask(port, path)).status)
    }
    expect((await ask(port, `/?token=${token}`)).status).toBe(200)
  })

  test('that is no HTTP at all ends its connection, and the server goes on', async () => {
    const { port, token } = await inspect()
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.write('nonsense\r\n\r\n'))
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
    })
    expect((await ask(port, `/?token=${token}`)).status).toBe(200)
  })

  test('is answered with headers that let nothing in, and share nothing', async () => {
    const { port, token } = await inspect()
    for (const path of [...PATHS.map(known => `${known}?token=${token}`), '/', `/nothing?token=${token}`]) {
      const { headers } = await ask(port, path)
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws://127.0.0.1:",
      )
      expect(policy).toContain("base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|\*/)
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
      expect(headers['set-cookie']).toBeUndefined()
    }
  })
})

describe('the page', () => {
  test('asks for its own files with the token, and has no inline script', async () => {
    const { port, token } = await inspect()
    const { body } = await ask(port, `/?token=${token}`)
    const named = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => String(source))
    const sources = named.filter(source => !source.startsWith('data:'))
    expect(sources.sort()).toEqual([`/page.css?token=${token}`, `/page.js?token=${token}`])
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|<style/)
    for (const source of sources) expect((await ask(port, source)).status).toBe(200)
  })
})

describe('the token', () => {
  test('has 256 bits, and each inspection has its own', async () => {
    const [one, two] = [await inspect(), await inspect()]
    expect(Buffer.from(one.token, 'base64url')).toHaveLength(32)
    expect(one.token).not.toBe(two.token)
    expect((await ask(two.port, `/?token=${one.token}`)).status).toBe(403)
  })
})

describe('a ticket', () => {
  test('leads to the page once', async () => {
    const { inspection, port, token } = await inspect()
    const { pathname, search } = new URL(inspection.createOpeningUrl())
    const first = await ask(port, pathname + search)
    expect([first.status, first.headers.location]).toEqual([303, `/?token=${token}`])
    expect((await ask(port, pathname + search)).status).toBe(403)
  })

  test('opens nothing else, and not from elsewhere; such an attempt does not use it up', async () => {
    const { inspection, port } = await inspect()
    const { pathname, search } = new URL(inspection.createOpeningUrl())
    const ticket = search.replace('?ticket=', '')
    for (const path of [
      `/?token=${ticket}`,
      `/?ticket=${ticket}`,
      `/save?ticket=${ticket}`,
      '/open',
      '/open?ticket=',
    ]) {
      expect([path, (await ask(port, path)).status]).toEqual([path, 403])
    }
    expect((await ask(port, pathname + search, { Host: 'evil.example' })).status).toBe(403)
    expect((await ask(port, pathname + search, { Origin: 'http://evil.example' })).status).toBe(403)
    expect((await ask(port, pathname + search, {}, 'POST')).status).toBe(405)
    expect((await ask(port, pathname + search, {}, 'HEAD')).status).toBe(405)
    expect((await ask(port, pathname + search)).status).toBe(303)
  })
})

describe('an upgrade', () => {
  test.for(['/events', '/control'])('to %s needs the token, the host and the origin', async path => {
    const { port, token } = await inspect()
    const origin = `http://127.0.0.1:${port}`
    const target = `${path}?token=${token}`
    const attempts: readonly (readonly [string, Record<string, string>])[] = [
      [path, { Origin: origin }],
      [`${path}?token=${token.slice(1)}A`, { Origin: origin }],
      [target, {}],
      [target, { Origin: 'null' }],
      [target, { Origin: 'http://evil.example' }],
      [target, { Origin: `https://127.0.0.1:${port}` }],
      [target, { Origin: `http://localhost:${port}` }],
      [target, { Origin: 'http://evil.example', Host: 'evil.example' }],
      [target, { Origin: `http://evil.example:${port}`, Host: `evil.example:${port}` }],
    ]
    for (const [at, headers] of attempts) expect([headers, await upgrade(port, at, headers)]).toEqual([headers, 403])
    expect(await upgrade(port, target, { Origin: origin })).toBe('open')
    const local = { Origin: `http://localhost:${port}`, Host: `localhost:${port}` }
    expect(await upgrade(port, target, local)).toBe('open')
  })

  test('to any other path is refused', async () => {
    const { port, token } = await inspect()
    for (const path of ['/', '/page.js', '/eventsx', '/control/']) {
      expect(await upgrade(port, `${path}?token=${token}`, { Origin: `http://127.0.0.1:${port}` })).toBe(403)
    }
  })

  test('that is refused is told in the log, without the token', async () => {
    const { port, token, log } = await inspect()
    await upgrade(port, `/control?token=${token}`, { Origin: 'http://evil.example' })
    expect(log).toEqual(['A socket was refused. The origin is not this server.'])
  })
})

describe('the server', () => {
  test('listens on 127.0.0.1 only', async () => {
    const { port } = await inspect()
    const others = Object.values(networkInterfaces())
      .flatMap(addresses => addresses ?? [])
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
      .filter(address => address !== '127.0.0.1')
    for (const host of [...others, '127.0.0.2']) {
      const outcome = await new Promise<string>(resolve => {
        const socket = connect({ port, host, timeout: 2_000 }, () => resolve('connected'))
        for (const event of ['error', 'timeout'] as const) socket.on(event, () => resolve('refused'))
        socket.on('connect', () => socket.destroy())
      })
      expect([host, outcome]).toEqual([host, 'refused'])
    }
  })
})
