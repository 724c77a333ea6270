/** The heads of the arrows, one for each way a line is drawn. */
export function ArrowHeads() {
  return (
    <defs>
      {['idle', 'taken', 'refused'].map(state => (
        <marker
          key={state}
          id={`head-${state}`}
          class={`head ${state}`}
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 .5 8 4 0 7.5z" />
        </marker>
      ))}
    </defs>
  )
}
