const SECTIONS = [
  ['machine', 'Machine'],
  ['conversation', 'Talk'],
  ['model', 'Model'],
  ['evidence', 'Evidence'],
  ['timeline', 'Timeline'],
] as const

/** The way to each section on a narrow page, where they stand one below the other. */
export function SectionTabs() {
  return (
    <nav class="tabs" aria-label="Sections">
      {SECTIONS.map(([id, name]) => (
        <a key={id} href={`#${id}`}>
          {name}
        </a>
      ))}
    </nav>
  )
}
