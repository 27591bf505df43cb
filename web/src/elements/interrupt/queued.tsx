import { useState } from "react";
import type { Interrupt } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Button, IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import { EditField } from "../edit-field/edit-field";
import styles from "./queued.module.css";

interface QueuedProps {
  readonly items: readonly Interrupt[];
  readonly onEdit: (id: string, content: string) => void;
  readonly onTakeBack: (id: string) => void;
}

/** What waits to be read by the agent: it can still be changed or taken back. */
export function Queued({ items, onEdit, onTakeBack }: QueuedProps) {
  const texts = useTexts();
  if (items.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={texts.composer.queuedLabel}>
      {items.map((item) => (
        <QueuedItem key={item.id} item={item} onEdit={onEdit} onTakeBack={onTakeBack} />
      ))}
    </ul>
  );
}

type QueuedItemProps = Omit<QueuedProps, "items"> & { readonly item: Interrupt };

function QueuedItem({ item, onEdit, onTakeBack }: QueuedItemProps) {
  const texts = useTexts();
  const [editing, setEditing] = useState(false);
  if (editing) {
    return (
      <li className={styles.editing}>
        <EditField
          label={texts.interrupt.editLabel}
          text={item.content}
          saveLabel={texts.app.save}
          onCancel={() => setEditing(false)}
          onSave={(content) => {
            setEditing(false);
            if (content !== item.content) onEdit(item.id, content);
          }}
        />
      </li>
    );
  }
  return (
    <li className={styles.item}>
      <Icon name="clock" size={14} className={styles.icon} />
      <span className={styles.text}>{item.content}</span>
      <span className="visually-hidden">{texts.interrupt.queued}</span>
      <IconButton small icon="pencil" label={texts.interrupt.edit} onClick={() => setEditing(true)} />
      <Button small look="quiet" onClick={() => onTakeBack(item.id)}>
        {texts.interrupt.takeBack}
      </Button>
    </li>
  );
}
