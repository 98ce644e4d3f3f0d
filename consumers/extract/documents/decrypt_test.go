package documents

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"millrace/consumers/extract/documents/documentstest"
)

// locked encrypts a package as Excel does, with a password and agile encryption.
func locked(t *testing.T, plain []byte, password []byte, spins int) []byte {
	t.Helper()
	h, salt := sha512.New(), []byte("0123456789abcdef")
	base := sum(h, salt, password)
	for i := range min(spins, 100) {
		base = sum(h, binary.LittleEndian.AppendUint32(nil, uint32(i)), base)
	}
	encrypt := func(key, iv, data []byte) []byte {
		c, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		data = append(data[:len(data):len(data)], make([]byte, (16-len(data)%16)%16)...)
		out := make([]byte, len(data))
		cipher.NewCBCEncrypter(c, iv).CryptBlocks(out, data)
		return out
	}
	value := func(block string, data []byte) string {
		return base64.StdEncoding.EncodeToString(encrypt(sum(h, base, []byte(block))[:32], salt, data))
	}
	key, input := []byte(strings.Repeat("k", 32)), []byte("verifier........")
	attributes := fmt.Sprintf(`saltValue="%s" blockSize="16" keyBits="256" hashSize="64" cipherAlgorithm="AES" cipherChaining="ChainingModeCBC" hashAlgorithm="SHA512"`, base64.StdEncoding.EncodeToString(salt))
	info := "\x04\x00\x04\x00\x40\x00\x00\x00" + fmt.Sprintf(`<encryption><keyData %s/><keyEncryptors><keyEncryptor uri="p"><p:encryptedKey spinCount="%d" %s encryptedVerifierHashInput="%s" encryptedVerifierHashValue="%s" encryptedKeyValue="%s"/></keyEncryptor></keyEncryptors></encryption>`,
		attributes, spins, attributes, value("\xfe\xa7\xd2\x76\x3b\x4b\x9e\x79", input), value("\xd7\xaa\x0f\x6d\x30\x61\x34\x4e", sum(h, input)), value("\x14\x6e\x0b\xe7\xab\xac\xd0\xd6", key))
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(plain)))
	for i := 0; i*segmentBytes < len(plain); i++ {
		segment := plain[i*segmentBytes : min(len(plain), (i+1)*segmentBytes)]
		out = append(out, encrypt(key, sum(h, salt, binary.LittleEndian.AppendUint32(nil, uint32(i)))[:16], segment)...)
	}
	return documentstest.OLE("EncryptionInfo", info, "EncryptedPackage", string(out))
}

// A workbook that is protected against changes opens without a password in Excel, and here.
func TestAFileThatIsOnlyProtectedAgainstChangesIsRead(t *testing.T) {
	r := newReader(t, nil)
	var long strings.Builder // more than one segment, and hardly compressible
	for i := range 200 {
		fmt.Fprintf(&long, "%x ", sha512.Sum512([]byte{byte(i), byte(i >> 8)}))
	}
	plain := documentstest.DOCX("Mills", documentstest.Paragraph("", "A mill grinds")+documentstest.Paragraph("", long.String()))
	d, err := readFile(t, r, locked(t, plain, passwordBytes(), 100))
	if err != nil || d.Type != "docx" || !strings.HasPrefix(d.Text, "A mill grinds") || len(d.Text) < 25_000 {
		t.Errorf("%v", err)
	}
	for name, body := range map[string][]byte{
		"another password": locked(t, plain, []byte("s\x00e\x00"), 100),
		"too many rounds":  locked(t, plain, passwordBytes(), maxSpins+1),
		"negative rounds":  locked(t, plain, passwordBytes(), -1),
	} {
		if _, err := readFile(t, r, body); !errors.Is(err, ErrEncrypted) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecrypt(f *testing.F) {
	f.Add([]byte("\x04\x00\x04\x00\x40\x00\x00\x00<encryption><keyData blockSize='16' keyBits='128' hashAlgorithm='SHA1' cipherAlgorithm='AES' cipherChaining='ChainingModeCBC'/><keyEncryptors><keyEncryptor><encryptedKey spinCount='1'/></keyEncryptor></keyEncryptors></encryption>"), []byte("12345678"))
	f.Add([]byte("\x04\x00\x02\x00\x24\x00\x00\x00\x18\x00\x00\x00"+strings.Repeat("\x00", 16)+"\x80\x00\x00\x00"+strings.Repeat("\x10\x00\x00\x00", 30)), []byte("12345678"))
	f.Fuzz(func(t *testing.T, info, encrypted []byte) {
		if b, err := decryptOpen(context.Background(), info, encrypted); err == nil && len(b) > len(encrypted) {
			t.Fatalf("%d bytes of %d", len(b), len(encrypted))
		}
	})
}
