/** The text of a chart is measured on the server, where there is no font: by an average that errs on the wide side. */
const WIDTH_OF_A_CHARACTER = 0.58

/** About how wide a text is, in CSS pixels. */
export function measureText(text: string, fontSize: number): number {
  return Math.ceil(text.length * fontSize * WIDTH_OF_A_CHARACTER)
}
