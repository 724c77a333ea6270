import type { ComponentChildren, Ref } from 'preact'

interface Props {
  readonly name: string
  readonly class: string
  readonly element?: Ref<HTMLElement>
  readonly children: ComponentChildren
}

/** A named part of the page that scrolls by itself: it takes the focus, so that the keys can scroll it, too. */
export function ScrollRegion({ name, class: classes, element, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keys
    <section class={classes} {...(element && { ref: element })} tabIndex={0} aria-label={name}>
      {children}
    </section>
  )
}
