/** The lines of a text that are not blank; the text itself if all lines are blank. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length === 0 ? [text] : lines;
}
