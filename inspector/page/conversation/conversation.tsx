import { useState } from 'preact/hooks'

import type { Entry, SessionState } from '../model/entry.js'
import { countOf } from '../model/format.js'
import { CheckpointLine } from './checkpoint-line.js'
import { FoldedText } from './folded-text.js'
import { OpenPair } from './open-pair.js'
import { PairBox } from './pair-box.js'

interface Props {
  readonly entry: Entry
  readonly session: SessionState | null
  readonly onEntry: (n: number) => void
}

const SHOWN_PAIRS = 40

/** The messages that stand in the conversation at an entry; of very many the newest. */
export function Conversation({ entry, session, onEntry }: Props) {
  const [extra, setExtra] = useState(0)
  const { machine } = entry
  if (machine === null) return null
  const { agent, pairCount, context } = machine
  const first = Math.max(0, pairCount - SHOWN_PAIRS - extra)
  const checkpoint = session?.context.checkpoint
  return (
    <>
      {agent.head.map(({ role, content }) => (
        <div class="opening" key={role}>
          <span class="who">{role === 'user' ? 'task' : role}</span>
          <FoldedText content={content} isFoldedWhole={role === 'system'} />
        </div>
      ))}
      {agent.omittedMessages > 0 && (
        <p class="nothing">{countOf(agent.omittedMessages, 'message')} of this very long run were not sent.</p>
      )}
      {first > 0 && (
        <button type="button" class="earlier" onClick={() => setExtra(extra + 200)}>
          {countOf(first, 'earlier pair')}
        </button>
      )}
      {agent.pairs.slice(first, pairCount).map(pair => (
        <div key={pair.index}>
          <PairBox
            pair={pair}
            isNewest={pair.index === pairCount - 1}
            isRestored={pair.index < agent.restoredPairs}
            onEntry={onEntry}
          />
          {checkpoint && pair.position + 2 === checkpoint.messages && (
            <CheckpointLine id={checkpoint.checkpointId} isResumed={agent.restoredPairs > 0} />
          )}
        </div>
      ))}
      {context.decision && context.decision.action.kind !== 'final' && machine.leaf !== 'done' && (
        <OpenPair decision={context.decision} step={context.step} pending={session?.context.pending ?? null} />
      )}
    </>
  )
}
