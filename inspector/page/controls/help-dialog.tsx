import { useEffect, useRef } from 'preact/hooks'

const KEYS: readonly (readonly [keys: readonly string[], meaning: string])[] = [
  [['←', '→'], 'one step back, one step on'],
  [['Home', 'End'], 'the first step, the last step'],
  [['Space'], 'play, stop'],
  [['B'], 'to the boundary'],
  [['L', 'Esc'], 'live again'],
  [['/'], 'find a step'],
  [['?'], 'this help'],
]

/** The keys and the signs, in a dialog of the browser's own: it holds the focus, and Escape closes it. */
export function HelpDialog({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal()
  }, [isOpen])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={meaning}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <h2>Signs</h2>
      <ul class="signs">
        <li data-sign="now">where the machine stands</li>
        <li data-sign="taken">the transition that it just took</li>
        <li data-sign="refused">a guard that said no</li>
        <li data-sign="gate">the gate: the only way to a checkpoint</li>
      </ul>
      <p>Choosing a state or a pair goes to the step that it belongs to. Looking back never disturbs the run.</p>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  )
}
