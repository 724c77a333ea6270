/**
 * A list that grows at its end and is a value all the same: `append` returns the longer list and leaves this one as it
 * was. The items are shared, so that a step costs the same however long the run already is; only a second `append` to
 * the same list, as when the machine is explored from one state in several directions, copies.
 */
export class AppendOnlyList<Item> {
  readonly #shared: Item[]
  readonly length: number

  private constructor(shared: Item[], length: number) {
    this.#shared = shared
    this.length = length
  }

  static of<Item>(items: Iterable<Item>): AppendOnlyList<Item> {
    const shared = [...items]
    return new AppendOnlyList(shared, shared.length)
  }

  append(...items: readonly Item[]): AppendOnlyList<Item> {
    const isNewest = this.#shared.length === this.length
    const shared = isNewest ? this.#shared : this.#shared.slice(0, this.length)
    shared.push(...items)
    return new AppendOnlyList(shared, this.length + items.length)
  }

  /** The newest item. */
  last(): Item | undefined {
    return this.#shared[this.length - 1]
  }

  /** The items from an index on; costs as much as there are. */
  tail(start: number): readonly Item[] {
    return this.#shared.slice(start, this.length)
  }

  /** A frozen array of the items. */
  toArray(): readonly Item[] {
    return Object.freeze(this.#shared.length === this.length ? [...this.#shared] : this.#shared.slice(0, this.length))
  }
}
