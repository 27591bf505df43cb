import { useMemo } from "react";
import { useTexts } from "../../i18n/i18n";
import { readCsv } from "./csv";
import styles from "./csv-table.module.css";

const MOST_ROWS = 1000;

/** The rows of a CSV file; the first one names the columns. */
export function CsvTable({ text }: { text: string }) {
  const texts = useTexts();
  const { rows, total } = useMemo(() => readCsv(text, MOST_ROWS + 1), [text]);
  const [head = [], ...body] = rows;
  const numeric = head.map((_, column) => body.length > 0 && body.every((row) => isNumber(row[column] ?? "")));
  return (
    <div className={styles.place}>
      {/* biome-ignore-start lint/suspicious/noArrayIndexKey: cells have no other name than their place */}
      <table className={styles.table}>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col" data-number={numeric[index]}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-number={numeric[column]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {/* biome-ignore-end lint/suspicious/noArrayIndexKey: as above */}
      {total - 1 > body.length && <p className={styles.rest}>{texts.artifact.rows(body.length, total - 1)}</p>}
    </div>
  );
}

/** An empty cell is no reason against a column of numbers. */
function isNumber(cell: string): boolean {
  return /^\s*(?:[-+−]?[\d.,\s]*\d\s*%?\s*)?$/.test(cell);
}
