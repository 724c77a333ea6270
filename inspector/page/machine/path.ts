interface Point {
  readonly x: number
  readonly y: number
}

interface Box extends Point {
  readonly width: number
  readonly height: number
}

/** Whether a box stands to the left of the upright piece of a line that is nearest to it. */
export function isLeftOf({ x, y, width, height }: Box, points: readonly Point[]): boolean {
  const [middleX, middleY] = [x + width / 2, y + height / 2]
  const beside = points.flatMap((point, index) => {
    const next = points[index + 1]
    if (next === undefined || next.x !== point.x) return []
    const isBeside = Math.min(point.y, next.y) <= middleY && middleY <= Math.max(point.y, next.y)
    return isBeside ? [point.x - middleX] : []
  })
  const nearest = beside.sort((a, b) => Math.abs(a) - Math.abs(b))[0]
  return nearest !== undefined && nearest > 0
}

const RADIUS = 7

/** A line through points, its corners rounded. */
export function toPath(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const corners = rest.map((point, index) => {
    const before = points[index] ?? first
    const after = rest[index + 1]
    if (after === undefined) return `L${point.x} ${point.y}`
    const from = toward(point, before)
    const to = toward(point, after)
    return `L${from.x} ${from.y}Q${point.x} ${point.y} ${to.x} ${to.y}`
  })
  return `M${first.x} ${first.y}${corners.join('')}`
}

/** The point on the way from a corner to its neighbour where the rounding begins. */
function toward(corner: Point, neighbour: Point): Point {
  const length = Math.hypot(neighbour.x - corner.x, neighbour.y - corner.y)
  const share = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  return { x: corner.x + (neighbour.x - corner.x) * share, y: corner.y + (neighbour.y - corner.y) * share }
}
