/** The paths of everything in a value that is not frozen; a value that is frozen through and through has none. */
export function findUnfrozen(value: unknown, path = 'value'): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value).flatMap(([key, item]) => findUnfrozen(item, `${path}.${key}`))
  return Object.isFrozen(value) ? inside : [path, ...inside]
}

/** What a call throws, whatever it is; fails when it returns. */
export function catchThrown(call: () => unknown): unknown {
  try {
    call()
  } catch (thrown) {
    return thrown
  }
  throw new Error('the call was expected to throw')
}

/** A proxy that can no longer be used in any way. */
export function createRevokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** A proxy of `target` that throws `thrown` whatever is done to it. */
export function createThrowingProxy(target: object, thrown: unknown): object {
  const fail = (): never => {
    throw thrown
  }
  const traps = Object.getOwnPropertyNames(Reflect).map(name => [name, fail])
  return new Proxy(target, Object.fromEntries(traps))
}
